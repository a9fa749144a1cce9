import type { PlatformId } from '../../shared/model/platform.ts';
import { traffic, type TrafficLine } from '../support/e2e.ts';
import type { TestStack } from '../support/stack.ts';

/** A kind of request to a platform. `path` is a regular expression. */
export interface RequestKind {
  platform: PlatformId;
  method: string;
  path: string;
}

export const nameOf = ({ platform, method, path }: RequestKind) => `${platform} ${method} ${path}`;

/** Returns the kinds of requests made since a sequence number, each once, sorted. */
export async function kindsSince(stack: TestStack, since: number): Promise<RequestKind[]> {
  const kinds = (await traffic(stack, since)).map(kindOf);
  const byName = [...new Map(kinds.map(kind => [nameOf(kind), kind]))].sort(([a], [b]) => (a < b ? -1 : 1));
  return byName.map(([, kind]) => kind);
}

export const kindOf = ({ platform, method, url }: TrafficLine): RequestKind => ({
  platform: platform as PlatformId,
  method,
  path: patternOf(new URL(url).pathname),
});

/** Returns a pattern for a path in which ids and secrets match anything. */
function patternOf(path: string): string {
  const segments = path
    .split('/')
    .map(segment =>
      /\*\*\*|\d{4,}|^(?=.*\d)[\w-]{24,}$|:|%3A/.test(segment) && !segment.includes('.')
        ? '[^/]+'
        : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return `^${segments.join('/')}$`;
}

/** Returns whether the request exchanges tokens. A lost response may make the account unusable, which nothing can repair. */
export const isTokenExchange = ({ path }: RequestKind) => /oauth|token|session/i.test(path);

/** Returns whether the request changes nothing. How often a delivery makes it depends on the time that passes. */
export const isRead = ({ method, path }: RequestKind) =>
  method === 'GET' || method === 'HEAD' || /\/(fetch|query|list)\/\$$/.test(path);
