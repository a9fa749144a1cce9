import type { HttpResponse } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';

/** Returns the delay of a `Retry-After` header in seconds; undefined where there is none. Milliseconds. */
export function retryAfterMs({ headers }: Pick<HttpResponse, 'headers'>): number | undefined {
  const seconds = Number(headers['retry-after']);
  return seconds > 0 ? seconds * SECOND : undefined;
}
