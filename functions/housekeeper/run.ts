import type { HttpClient } from '../../shared/net/http.ts';
import type { Services } from '../../shared/runtime/services.ts';

/** What one run uses. */
export interface Run {
  services: Services;
  /** The guarded client: it fetches URLs that users chose. */
  http: Pick<HttpClient, 'open'>;
  /** Milliseconds left of this invocation. */
  remainingMs: () => number;
}
