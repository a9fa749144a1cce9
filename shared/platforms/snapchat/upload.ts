import { SECOND } from '../../time/instant.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { equalParts, NO_PROGRESS, uploadParts } from '../kit/parts.ts';
import { MB } from '../kit/sizes.ts';
import { encryptPart, newEncryption } from './encryption.ts';
import { isMediaExpired, isMissing } from './errors.ts';
import { addPart, createMedia, finalizeMedia } from './media-calls.ts';
import { PICTURES } from './rules.ts';
import { callerOf, profileOf, restarted, type Context, type State, type Upload } from './state.ts';

/** Multiples of the cipher's block. With 32 MiB, the form around a part would exceed the limit. */
const PART_BYTES = 30_000_000;
const LARGE_PART_BYTES = 31 * MB;
const MAX_PARTS = 35;
const PARTS_PER_CHECKPOINT = 2;

const OPEN_MS = 30 * SECOND;
/** Reading and sending one part, time-outs included. */
const PART_MS = 90 * SECOND;

/** Encrypts the file and uploads it in parts, then completes the upload. */
export async function upload(context: Context, state: State): Promise<StepResult<State>> {
  const begun = state.upload;
  try {
    if (begun === null || begun.progress.offset < begun.size) return await sendFile(context, state);
    await finalizeMedia(callerOf(context), begun.finalize_path);
    return { type: 'next', state };
  } catch (error) {
    // Media of an earlier run may have expired, or a request whose response was lost is refused when it is repeated.
    const again = begun !== null && (isMediaExpired(error) || isMissing(error)) ? restarted(state) : null;
    if (again === null) throw error;
    return { type: 'again', state: again };
  }
}

async function sendFile(context: Context, state: State): Promise<StepResult<State>> {
  const file = await context.files.open(context.job.media_urls[0] ?? '', OPEN_MS);
  try {
    const source = await sourceOf(context, file);
    const isSame = state.upload?.size === source.size;
    const begun = isSame && state.upload ? state.upload : await begin(context, source.size);
    return { type: 'again', state: { ...state, upload: await sendParts(context, source, begun) } };
  } finally {
    await file.close();
  }
}

type Source = Pick<UserFile, 'size' | 'read'>;

/** An image is converted where Snapchat would refuse it. */
async function sourceOf({ job }: Context, file: UserFile): Promise<Source> {
  if (job.post_type !== 'image') return file;
  const { bytes } = await file.fitted(PICTURES);
  return {
    size: bytes.byteLength,
    read: (start, length) => Promise.resolve(Buffer.from(bytes.subarray(start, start + length))),
  };
}

async function begin(context: Context, size: number): Promise<Upload> {
  const encryption = newEncryption();
  const isImage = context.job.post_type === 'image';
  const media = await createMedia(callerOf(context), profileOf(context), {
    type: isImage ? 'IMAGE' : 'VIDEO',
    name: `post-${context.job.post_id}`,
    ...encryption,
  });
  return { ...media, size, ...encryption, progress: NO_PROGRESS };
}

export const partBytes = (size: number) =>
  Math.ceil(size / PART_BYTES) > MAX_PARTS ? LARGE_PART_BYTES : PART_BYTES;

/** Each part continues the ciphertext of the one before: its last block is kept with the progress. */
async function sendParts(context: Context, file: Source, begun: Upload): Promise<Upload> {
  let { iv } = begun;
  const { progress } = await uploadParts(
    {
      file,
      partAt: equalParts(file.size, partBytes(file.size)),
      send: async ({ index, bytes, isLast }) => {
        const part = encryptPart({ key: begun.key, iv }, bytes, isLast);
        await addPart(callerOf(context), begun.add_path, index + 1, part);
        iv = part.nextIv();
        return undefined;
      },
      remainingMs: context.remainingMs,
      partMs: PART_MS,
      maxParts: PARTS_PER_CHECKPOINT,
    },
    begun.progress,
  );
  return { ...begun, iv, progress };
}
