import type { HousekeepingWork } from '../../shared/housekeeping/work.ts';
import { eraseProfile } from './erase-profile.ts';
import { probeAssets } from './probe-assets.ts';
import { renewAhead } from './renew-account.ts';
import type { Run } from './run.ts';

/** Does the work. Idempotent: it may be requested twice, or after it was done. */
export function doHousekeeping(run: Run, work: HousekeepingWork): Promise<void> {
  switch (work.kind) {
    case 'erase-profile':
      return eraseProfile(run, work);
    case 'probe-assets':
      return probeAssets(run, work);
    case 'renew-account':
      return renewAhead(run.services, work);
  }
}
