import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { sendMessage } from '../aws/queue.ts';
import { PlatformIdSchema } from '../model/platform.ts';
import type { Services } from '../runtime/services.ts';
import { assetOfKey, type AssetRef } from '../store/assets.ts';
import { connectionOfKey } from '../store/connections.ts';
import { deletionOfKey } from '../store/profile-deletions.ts';
import type { Key } from '../store/table.ts';
import { MINUTE } from '../time/instant.ts';

const workspace = { workspace_id: v.string() };

/** Time before an item is woken again, so that a backlog does not multiply messages. */
export const WAKE_GRACE_MS = 5 * MINUTE;

/** A message of the housekeeping queue: work that no request waits for and no post depends on. */
export const HousekeepingMessageSchema = v.variant('kind', [
  v.object({ ...workspace, kind: v.literal('erase-profile'), profile_id: v.string() }),
  v.object({ ...workspace, kind: v.literal('probe-assets'), asset_ids: v.array(v.string()) }),
  v.object({
    ...workspace,
    kind: v.literal('renew-account'),
    profile_id: v.string(),
    platform: PlatformIdSchema,
  }),
]);
export type HousekeepingMessage = v.InferOutput<typeof HousekeepingMessageSchema>;

export async function sendHousekeepingMessage(
  services: Pick<Services, 'sqs' | 'setting'>,
  message: HousekeepingMessage,
): Promise<void> {
  await sendMessage(services.sqs, {
    queueUrl: services.setting(ENV.housekeepingQueueUrl),
    body: message,
    group: message.workspace_id,
  });
}

export const probeMessage = (workspace_id: string, asset_ids: string[]): HousekeepingMessage => ({
  kind: 'probe-assets',
  workspace_id,
  asset_ids,
});

/** Returns the message for a key of the wake index; null for a key that another queue handles. */
export function housekeepingOfKey(key: Key): HousekeepingMessage | null {
  const deletion = deletionOfKey(key);
  if (deletion) return { kind: 'erase-profile', ...deletion };
  const asset: AssetRef | null = assetOfKey(key);
  if (asset) return probeMessage(asset.workspace_id, [asset.asset_id]);
  const connection = connectionOfKey(key);
  return connection && { kind: 'renew-account', ...connection };
}
