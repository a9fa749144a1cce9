import { nearestName } from '../text/nearest.ts';
import type { ValidationDetail } from './errors.ts';
import type { RawRequest, Route } from './route.ts';

/** Accepted on every route. */
const STRICT = 'strict';

/** Pagination parameters of other APIs, and what they are called here. */
const ALIASES: Readonly<Record<string, string>> = {
  page: 'cursor',
  offset: 'cursor',
  skip: 'cursor',
  after: 'cursor',
  starting_after: 'cursor',
  next_cursor: 'cursor',
  per_page: 'limit',
  page_size: 'limit',
  pageSize: 'limit',
};

/** Whether the caller asked for unknown fields to be refused, by `Prefer: handling=strict` or `?strict=true`. */
export function isStrict({ headers, query }: Pick<RawRequest, 'headers' | 'query'>): boolean {
  return query[STRICT] === 'true' || /(?:^|[,;\s])handling\s*=\s*"?strict\b/i.test(headers['prefer'] ?? '');
}

/** Query parameters of the route. An empty one counts as absent. */
export function queryOf({ query }: Pick<RawRequest, 'query'>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => name !== STRICT && value !== ''));
}

/**
 * Returns an error for each query parameter that the route does not have. Routes without a key accept any, because
 * platforms add their own to a redirect.
 */
export function unknownParameters(
  route: Pick<Route, 'auth'> & { query?: Route['query'] },
  query: Readonly<Record<string, string>>,
): ValidationDetail[] {
  if (route.auth === 'none') return [];
  const known = Object.keys(route.query ?? {});
  return Object.keys(query)
    .filter(name => name !== STRICT && !known.includes(name))
    .map(name => ({ field: name, message: unknownParameter(name, known), platform: null }));
}

function unknownParameter(name: string, known: readonly string[]): string {
  const problem = `${name} is not a query parameter of this operation`;
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
  if (alias !== undefined && known.includes(alias)) return `${problem}; use ${alias}`;
  const nearest = nearestName(name, known);
  return nearest === null ? problem : `${problem}; did you mean ${nearest}?`;
}
