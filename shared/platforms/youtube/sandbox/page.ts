import type { Context } from 'hono';
import { badParameter } from './errors.ts';

/** One page of at most `maxResults`, by an opaque token. */
export function page<T>(c: Context, all: readonly T[]): { items: T[]; more: object } {
  const size = Number(c.req.query('maxResults') ?? 5);
  if (!(size >= 0 && size <= 50))
    badParameter('invalidParameter', 'maxResults', 'Invalid value for maxResults');
  const token = c.req.query('pageToken');
  const start = token === undefined ? 0 : Number(/^C(\d+)QAA$/.exec(token)?.[1] ?? NaN);
  if (Number.isNaN(start)) badParameter('invalidPageToken', 'pageToken', 'The page token is not valid.');
  const next = start + size;
  return {
    items: all.slice(start, next),
    more: {
      ...(next < all.length ? { nextPageToken: `C${next}QAA` } : {}),
      pageInfo: { totalResults: all.length, resultsPerPage: size },
    },
  };
}
