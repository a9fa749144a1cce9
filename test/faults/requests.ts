import type { PlatformId } from '../../shared/model/platform.ts';
import { traffic } from '../support/e2e.ts';
import type { TestStack } from '../support/stack.ts';

/** A kind of request that the service makes to a platform. `path`: a regular expression. */
export interface RequestKind {
  platform: PlatformId;
  method: string;
  path: string;
}

export const nameOf = ({ platform, method, path }: RequestKind) => `${platform} ${method} ${path}`;

/** The kinds of the requests that were made since then, each once, always in the same order. */
export async function kindsSince(stack: TestStack, since: number): Promise<RequestKind[]> {
  const lines = await traffic(stack, since);
  const kinds = lines.map(({ platform, method, url }) => ({
    platform: platform as PlatformId,
    method,
    path: patternOf(new URL(url).pathname),
  }));
  const byName = [...new Map(kinds.map(kind => [nameOf(kind), kind]))].sort(([a], [b]) => (a < b ? -1 : 1));
  return byName.map(([, kind]) => kind);
}

/** Ids and secrets in a path differ from request to request. */
function patternOf(path: string): string {
  const segments = path
    .split('/')
    .map(segment =>
      /\*\*\*|\d{4,}|^[\w-]{24,}$|:/.test(segment) && !segment.includes('.')
        ? '[^/]+'
        : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return `^${segments.join('/')}$`;
}

/** A lost answer of these costs the account itself, at the platform: no service can mend that. */
export const isSecretExchange = ({ path }: RequestKind) => /oauth|token|session/i.test(path);
