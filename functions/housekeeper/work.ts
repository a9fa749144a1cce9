import type { HousekeepingMessage } from '../../shared/housekeeping/messages.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { eraseProfile } from './erase-profile.ts';
import { probeAssets } from './probe-assets.ts';
import { renewAhead } from './renew-account.ts';

export interface Run {
  services: Services;
  /** The guarded client: it fetches URLs that users chose. */
  http: Pick<HttpClient, 'open'>;
  /** Milliseconds left of this invocation. */
  remainingMs: () => number;
}

/** Processes a message. Idempotent: a message may be delivered twice, or after its work was done. */
export function handleHousekeepingMessage(run: Run, message: HousekeepingMessage): Promise<void> {
  switch (message.kind) {
    case 'erase-profile':
      return eraseProfile(run, message);
    case 'probe-assets':
      return probeAssets(run, message);
    case 'renew-account':
      return renewAhead(run.services, message);
  }
}
