import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { invokeAsync } from '../aws/lambda.ts';
import { PlatformIdSchema } from '../model/platform.ts';
import type { Services } from '../runtime/services.ts';
import { assetOfKey, type AssetRef } from '../store/assets.ts';
import { connectionOfKey } from '../store/connections.ts';
import { deletionOfKey } from '../store/profile-deletions.ts';
import type { Key } from '../store/table.ts';
import { MINUTE } from '../time/instant.ts';

const workspace = { workspace_id: v.string() };

/** Time before an item is woken again, so that a backlog does not multiply invocations. */
export const WAKE_GRACE_MS = 5 * MINUTE;

/** Work that no request waits for and no post depends on: the event of an asynchronous invocation. */
export const HousekeepingWorkSchema = v.variant('kind', [
  v.object({ ...workspace, kind: v.literal('erase-profile'), profile_id: v.string() }),
  v.object({ ...workspace, kind: v.literal('probe-assets'), asset_ids: v.array(v.string()) }),
  v.object({
    ...workspace,
    kind: v.literal('renew-account'),
    profile_id: v.string(),
    platform: PlatformIdSchema,
  }),
]);
export type HousekeepingWork = v.InferOutput<typeof HousekeepingWorkSchema>;

/** Has the housekeeper do the work. If it is lost, the sweeper starts it again. */
export async function startHousekeeping(
  { lambda, setting }: Pick<Services, 'lambda' | 'setting'>,
  work: HousekeepingWork,
): Promise<void> {
  await invokeAsync(lambda, setting(ENV.housekeeper), work);
}

export const probeWork = (workspace_id: string, asset_ids: string[]): HousekeepingWork => ({
  kind: 'probe-assets',
  workspace_id,
  asset_ids,
});

/** Returns the work for a key of the wake index; null for a key of another kind. */
export function housekeepingOfKey(key: Key): HousekeepingWork | null {
  const deletion = deletionOfKey(key);
  if (deletion) return { kind: 'erase-profile', ...deletion };
  const asset: AssetRef | null = assetOfKey(key);
  if (asset) return probeWork(asset.workspace_id, [asset.asset_id]);
  const connection = connectionOfKey(key);
  return connection && { kind: 'renew-account', ...connection };
}
