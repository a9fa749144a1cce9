import type { PlatformId } from '../model/platform.ts';
import type { AppCredentials } from '../platforms/contract/connector.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { Quota, QuotaBucket } from '../platforms/contract/quota.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { QUOTAS } from '../platforms/registry/quotas.ts';
import type { Services } from '../runtime/services.ts';
import {
  addReservation,
  commitUnits,
  getQuota,
  removeReservation,
  setExhausted,
  spendReserved,
  type QuotaLimit,
  type QuotaRef,
} from '../store/quota.ts';
import { HOUR, toIso } from '../time/instant.ts';
import { periodAt } from './period.ts';

/** Longer than a post takes from its first request to its last follow-up. */
const RESERVATION_MS = HOUR;

/** Whose quota it is. */
export interface QuotaOwner {
  /** Null where the platform needs no registration. */
  app: Pick<AppCredentials, 'client_id'> | null;
  /** The account's id at the platform; null where there is none yet. */
  account_id: string | null;
}

type QuotaServices = Pick<Services, 'table' | 'now'>;

/** One bucket in its current period. */
interface Bucket {
  name: string;
  ref: QuotaRef;
  limit: QuotaLimit;
}

/** Opens the quotas of a platform for an app and an account. Its functions throw for a bucket that the platform does not define. */
export function openQuota(
  { table, now }: QuotaServices,
  owner: QuotaOwner,
  platform: PlatformId,
  buckets: Readonly<Record<string, QuotaBucket>> = QUOTAS[platform]?.buckets ?? {},
): Quota {
  const open = async (name: string): Promise<Bucket> => {
    const definition = buckets[name];
    if (!definition) throw new Error(`${platform} defines no quota bucket ${name}`);
    const { id, resets_at } = await periodAt(definition.period, now());
    return {
      name,
      ref: { owner: ownerKey(platform, definition, owner), bucket: name, period: id },
      limit: { limit: definition.limit ?? Infinity, resets_at, now: now() },
    };
  };

  /** Runs an update of the count until it succeeds. Throws QUOTA_EXHAUSTED when the units do not fit. */
  const apply = async (name: string, write: (bucket: Bucket) => Promise<'done' | 'changed' | 'full'>) => {
    for (;;) {
      const bucket = await open(name);
      const outcome = await write(bucket);
      if (outcome === 'done') return;
      if (outcome === 'full' && !(await releaseExpired(bucket)))
        throw quotaExhausted(platform, bucket, await closedUntil(bucket));
    }
  };

  /** Gives back the units of reservations whose owner never did. Returns false when there are none. */
  const releaseExpired = async ({ ref, limit }: Bucket): Promise<boolean> => {
    const { reservations, exhausted_until } = await getQuota(table, ref);
    if (exhausted_until > limit.now) return false;
    const expired = [...reservations].filter(([, { expires_at }]) => expires_at <= limit.now);
    await Promise.all(expired.map(([id, reservation]) => removeReservation(table, ref, id, reservation)));
    return expired.length > 0;
  };

  /** When the bucket that the platform called exhausted opens again; null when it did not. */
  const closedUntil = async ({ ref, limit: { now: at, resets_at } }: Bucket): Promise<number | null> => {
    const { exhausted_until } = await getQuota(table, ref);
    return exhausted_until > at ? Math.min(exhausted_until, resets_at) : null;
  };

  return {
    spend: (name, units, reservationId) =>
      apply(name, async ({ ref, limit }) => {
        const reservation =
          reservationId === undefined
            ? undefined
            : (await getQuota(table, ref)).reservations.get(reservationId);
        if (reservationId === undefined || !reservation) {
          return (await commitUnits(table, ref, units, limit)) ? 'done' : 'full';
        }
        if (await spendReserved(table, ref, reservationId, reservation, units, limit)) return 'done';
        const after = (await getQuota(table, ref)).reservations.get(reservationId);
        return after?.units === reservation.units ? 'full' : 'changed';
      }),

    reserve: (name, units, reservationId) =>
      apply(name, async ({ ref, limit }) => {
        const reservation = { units, expires_at: limit.now + RESERVATION_MS };
        if (await addReservation(table, ref, reservationId, reservation, limit)) return 'done';
        const { reservations } = await getQuota(table, ref);
        return reservations.has(reservationId) ? 'done' : 'full';
      }),

    release: async (name, reservationId) => {
      const { ref } = await open(name);
      for (;;) {
        const reservation = (await getQuota(table, ref)).reservations.get(reservationId);
        if (!reservation || (await removeReservation(table, ref, reservationId, reservation))) return;
      }
    },

    exhausted: async (name, until) => {
      const { ref, limit } = await open(name);
      await setExhausted(table, ref, Math.min(until ?? limit.resets_at, limit.resets_at), limit.resets_at);
    },

    requireOpen: async name => {
      const bucket = await open(name);
      const until = await closedUntil(bucket);
      if (until !== null) throw quotaExhausted(platform, bucket, until);
    },

    usage: async name => {
      const { ref, limit } = await open(name);
      const { committed, exhausted_until } = await getQuota(table, ref);
      const used = exhausted_until > limit.now ? limit.limit : committed;
      return { limit: limit.limit, used, resets_at: limit.resets_at };
    },
  };
}

function ownerKey(platform: PlatformId, { scope }: QuotaBucket, { app, account_id }: QuotaOwner): string {
  if (scope === 'app') return `${platform}#app#${app?.client_id ?? ''}`;
  if (account_id === null) throw new Error(`A quota of ${platform} is per account, and there is no account`);
  return `${platform}#account#${account_id}`;
}

/** `until`: when the platform opens the bucket again; null where it is full by our count. */
function quotaExhausted(
  platform: PlatformId,
  { name, limit: { limit, resets_at, now } }: Bucket,
  until: number | null,
): PlatformError {
  const { display_name } = BASICS[platform];
  const why =
    until === null
      ? `The ${display_name} quota "${name}" of ${limit} units is used up. It resets`
      : `${display_name} called the quota "${name}" used up. The next attempt is`;
  const end = until ?? resets_at;
  return new PlatformError({
    kind: 'rate_limited',
    code: 'QUOTA_EXHAUSTED',
    message: `${why} at ${toIso(end)}.`,
    retryAfterMs: end - now,
    ...(Number.isFinite(limit) ? { limit } : {}),
  });
}
