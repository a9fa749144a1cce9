import type { HousekeepingMessage } from '../../shared/housekeeping/messages.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { eraseProfile } from './erase-profile.ts';
import { probeAssets } from './probe-assets.ts';
import { renewAhead } from './renew-account.ts';

export interface Run {
  services: Services;
  /** The guarded client: it fetches what users name. */
  http: Pick<HttpClient, 'open'>;
  /** What is left of this invocation. */
  remainingMs: () => number;
}

/** Does what a note asks for. Each may come twice, and may find that nothing is left to do. */
export function keepHouse(run: Run, message: HousekeepingMessage): Promise<void> {
  switch (message.kind) {
    case 'erase-profile':
      return eraseProfile(run, message);
    case 'probe-assets':
      return probeAssets(run, message);
    case 'renew-account':
      return renewAhead(run.services, message);
  }
}
