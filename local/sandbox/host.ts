import type { HttpClient } from '../../shared/net/http.ts';
import type { SandboxHost } from '../../shared/platforms/contract/sandbox.ts';
import type { KeptMedia } from './kept.ts';
import { ALL_ACCOUNTS, keyOf, type SandboxState } from './state.ts';

export interface HostParts {
  url: string;
  now: () => number;
  state: SandboxState;
  kept: KeptMedia;
  http: HttpClient;
}

/** What the doubles see of the sandbox. */
export function createHost({ url, now, state, kept, http }: HostParts): SandboxHost {
  return {
    now,
    url,
    http,
    publish: post => void state.posts.push(post),
    unpublish: (platform, id) => {
      state.posts = state.posts.filter(post => post.platform !== platform || post.platform_post_id !== id);
    },
    posts: platform => state.posts.filter(post => post.platform === platform),
    processing: platform => state.processing.get(platform) ?? { seconds: 0, outcome: 'ok', error: null },
    limit: (platform, account) =>
      state.limits.get(keyOf(platform, account)) ?? state.limits.get(keyOf(platform, ALL_ACCOUNTS)) ?? null,
    metrics: (platform, id) => state.metrics.get(keyOf(platform, id)) ?? null,
    keepMedia: bytes => kept.keep(bytes),
  };
}
