import type { HousekeepingMessage } from '../../shared/housekeeping/messages.ts';
import { eraseProfile } from './erase-profile.ts';
import { probeAssets } from './probe-assets.ts';
import { renewAhead } from './renew-account.ts';
import type { Run } from './run.ts';

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
