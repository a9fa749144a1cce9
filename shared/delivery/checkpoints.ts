import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import * as v from 'valibot';
import { seal, unseal } from '../aws/key-ring.ts';
import type { Checkpoint, StoredCheckpoint } from '../model/destination.ts';
import { JsonObjectSchema, type JsonObject } from '../model/json.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { deleteCheckpoint, getCheckpoint, putCheckpoint, type CheckpointRef } from '../store/checkpoints.ts';
import { DAY } from '../time/instant.ts';

/** Larger states are stored in an item of their own: each write of a destination costs by the size of its post. */
const INLINE_BYTES = 2048;
/** Longer than any delivery; deletes what a killed worker left. */
const LIFETIME_MS = 30 * DAY;

/** Stores the checkpoints of one destination: small ones inline, large and encrypted ones in items of their own. */
export interface CheckpointStore {
  /** Returns the checkpoint, or null when its item no longer exists, or it is a fresh one. */
  load: (stored: StoredCheckpoint) => Promise<Checkpoint | null>;
  /** Stores the state and returns what the destination keeps. A state that did not change is not written again. */
  put: (checkpoint: Checkpoint) => Promise<StoredCheckpoint>;
  /** Deletes the items that this worker loaded or wrote, except the one that the stored destination refers to. */
  prune: (current: StoredCheckpoint | null) => Promise<void>;
}

/**
 * Items are immutable: each state gets a new one, and the destination refers to it afterwards. So a worker that lost
 * its lease cannot change what its successor reads, and one that is killed in between leaves the former checkpoint.
 */
export function checkpointStore(
  services: Services,
  { workspace_id, post_id }: Pick<Post, 'workspace_id' | 'post_id'>,
  platform: PlatformId,
  { sealed }: { sealed: boolean },
): CheckpointStore {
  const known = new Set<string>();
  let latest: { json: string; item: string } | null = null;
  const refTo = (item: string): CheckpointRef => ({ workspace_id, post_id, platform, item });
  const boundTo = (item: string) => `${post_id}#${platform}#${item}`;

  return {
    load: async stored => {
      if ('fresh' in stored) return null;
      if (!('item' in stored)) return stored;
      const { step, item } = stored;
      const found = await getCheckpoint(services.table, refTo(item));
      if (!found) return null;
      const packed = found.sealed
        ? unseal(await services.keyRing(found.data), boundTo(item), found.data)
        : found.data;
      const state = await unpack(packed);
      known.add(item);
      latest = { json: JSON.stringify(state), item };
      return { step, state };
    },

    put: async ({ step, state }) => {
      const json = JSON.stringify(state);
      if (!sealed && Buffer.byteLength(json) <= INLINE_BYTES) return { step, state };
      if (latest?.json === json) return { step, item: latest.item };
      const item = randomBytes(9).toString('base64url');
      const packed = await pack(json);
      const data = sealed ? seal(await services.keyRing(), boundTo(item), packed) : packed;
      await putCheckpoint(services.table, refTo(item), { data, sealed }, services.now() + LIFETIME_MS);
      known.add(item);
      latest = { json, item };
      return { step, item };
    },

    prune: async current => {
      const kept = current && 'item' in current ? current.item : null;
      for (const item of [...known].filter(each => each !== kept)) {
        known.delete(item);
        if (latest?.item === item) latest = null;
        try {
          await deleteCheckpoint(services.table, refTo(item));
        } catch (error) {
          log.warn('Could not delete a checkpoint; its TTL deletes it', {
            post_id,
            platform,
            ...describeError(error),
          });
        }
      }
    },
  };
}

/** Compresses: the part URLs of a large upload differ in a few characters. */
async function pack(json: string): Promise<string> {
  return (await promisify(deflateRaw)(json)).toString('base64');
}

async function unpack(packed: string): Promise<JsonObject> {
  const json: unknown = JSON.parse(
    (await promisify(inflateRaw)(Buffer.from(packed, 'base64'))).toString('utf8'),
  );
  return v.parse(JsonObjectSchema, json);
}
