import { dayIn } from '../../../time/zone.ts';
import { QUOTA_ZONE } from './quota-zone.ts';

/** Returns the next midnight in Pacific Time, when Google resets the daily quotas of a project. Epoch milliseconds. */
export const nextQuotaReset = (now: number): number => dayIn(QUOTA_ZONE, now).ends_at;
