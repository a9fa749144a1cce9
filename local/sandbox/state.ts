import type { JsonObject } from '../../shared/model/json.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { SandboxHost, SandboxPost } from '../../shared/platforms/contract/sandbox.ts';

export type Processing = ReturnType<SandboxHost['processing']>;

/** What is published, and what the control endpoints have set. */
export interface SandboxState {
  posts: SandboxPost[];
  processing: Map<PlatformId, Processing>;
  /** By platform and account; the account `*` stands for all. */
  limits: Map<string, JsonObject>;
  /** By platform and post. */
  metrics: Map<string, JsonObject>;
}

export const ALL_ACCOUNTS = '*';

export function newState(): SandboxState {
  return { posts: [], processing: new Map(), limits: new Map(), metrics: new Map() };
}

export function keyOf(platform: PlatformId, id: string): string {
  return `${platform} ${id}`;
}

export function resetState(state: SandboxState): void {
  state.posts = [];
  state.processing.clear();
  state.limits.clear();
  state.metrics.clear();
}
