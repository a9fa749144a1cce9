import * as v from 'valibot';
import { appForConnect } from '../../shared/connections/apps.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { PlatformQuota } from '../../shared/platforms/contract/quota.ts';
import { QUOTAS } from '../../shared/platforms/registry/quotas.ts';
import { openQuota } from '../../shared/quota/quota.ts';
import { shownBuckets } from '../../shared/quota/shown.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { toIso } from '../../shared/time/instant.ts';

export interface QuotaRecord {
  platform: PlatformId;
  bucket: string;
  used: number;
  limit: number;
  resets_at: string;
}

/**
 * Returns the usage of the platforms' quotas with a known limit that all accounts of one app share, for the app that the
 * workspace connects accounts with: its own, else the one of the service. Platforms whose app is not set or cannot be read
 * are left out.
 */
export async function listQuotas(services: Services, principal: Principal): Promise<QuotaRecord[]> {
  const rows = Object.entries(QUOTAS).map(([platform, quota]) =>
    quotasOf(services, principal, v.parse(PlatformIdSchema, platform), quota),
  );
  return (await Promise.all(rows)).flat();
}

async function quotasOf(
  services: Services,
  { workspace_id }: Principal,
  platform: PlatformId,
  definition: PlatformQuota,
): Promise<QuotaRecord[]> {
  const shown = shownBuckets(definition);
  if (shown.length === 0) return [];
  const found = await appForConnect(services, workspace_id, platform).catch((error: unknown) => {
    log.warn('Reading the app of a platform quota failed', { platform, ...describeError(error) });
    return null;
  });
  if (!found) return [];
  const quota = openQuota(services, { app: found.app, account_id: null }, platform);
  return Promise.all(
    shown.map(async bucket => {
      const { used, limit, resets_at } = await quota.usage(bucket);
      return { platform, bucket, used, limit, resets_at: toIso(resets_at) };
    }),
  );
}
