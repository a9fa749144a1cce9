import * as v from 'valibot';
import type { AppCredentials } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';

/** As in TikTok's own example. No video needs more than 1000 chunks of the smallest size. */
const DEFAULT_CHUNK_BYTES = 10_000_000;
const MIN_CHUNK_BYTES = 5_242_880;
/** Half of the largest video that is sent as one chunk: a video above it has two chunks at least. */
const MAX_CHUNK_BYTES = 32_000_000;

const isChunkSize = (text: string) =>
  /^\d+$/.test(text) && Number(text) >= MIN_CHUNK_BYTES && Number(text) <= MAX_CHUNK_BYTES;

/** Fields of a TikTok app beside its client key (`client_id`) and secret. */
export const APP_FIELDS = {
  audited: v.exactOptional(
    v.pipe(
      v.picklist(['true', 'false'], 'Must be true or false'),
      v.description(
        '`false` while TikTok has not audited the app: its posts must be `SELF_ONLY`, by private accounts',
      ),
    ),
  ),
  chunk_bytes: v.exactOptional(
    v.pipe(
      v.string('Must be a string'),
      v.check(isChunkSize, `Must be a number from ${MIN_CHUNK_BYTES} to ${MAX_CHUNK_BYTES}`),
      v.description(`Size of the chunks of a video above 64 MB; default ${DEFAULT_CHUNK_BYTES}`),
    ),
  ),
};

/** True for an app that its operator declared as not audited. */
export const isUnaudited = (app: AppCredentials | null) => app?.['audited'] === 'false';

export function chunkBytesOf(app: AppCredentials | null): number {
  const own = app?.['chunk_bytes'] ?? '';
  return isChunkSize(own) ? Number(own) : DEFAULT_CHUNK_BYTES;
}

/** Warns the operator of an app whose posts nobody but their authors can see. */
export function auditNotice(app: AppCredentials): string | null {
  if (!isUnaudited(app)) return null;
  return 'TikTok has not audited the app: five accounts in 24 hours may post, and only they see their posts';
}

/** Returns the app. Throws PlatformError `transient` where the operator has not set it. */
export function requireApp(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: 'The credentials of the TikTok app are not set',
  });
}
