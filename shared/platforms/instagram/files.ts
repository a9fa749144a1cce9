import { Readable } from 'node:stream';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import { checkedUploadUrl, uploadBytes } from '../families/meta/rupload.ts';
import { MB } from '../kit/sizes.ts';
import { createContainer, uploadedBytes, type NewContainer } from './containers.ts';
import { imageParameters, videoParameters, type VideoSource } from './parameters.ts';
import { rules } from './rules.ts';
import { accessesFor, type Container, type Context } from './state.ts';

const FETCH_TIMEOUT_MS = MINUTE;
/** Videos above this size are uploaded where the host takes uploads: Meta gives up on slow downloads. */
const UPLOAD_ABOVE_BYTES = 50 * MB;
const PIECE_BYTES = 8 * MB;
/** Time that is left for what follows an upload. */
const RESERVE_MS = 10 * SECOND;
const MAX_UPLOAD_MS = 90 * SECOND;

/** Creates the container of one file. Throws PlatformError. */
export async function createFileContainer(context: Context, index: number): Promise<Container> {
  const url = context.job.media_urls[index];
  if (url === undefined) throw new Error(`The post has no file ${index + 1}`);
  const file = await context.files.open(url, FETCH_TIMEOUT_MS);
  try {
    const created = await create(context, index, file);
    return {
      id: created.id,
      created_at: context.now(),
      ready: false,
      upload_url: created.uri === undefined ? null : checkedUploadUrl(created.uri),
      hidden_since: null,
    };
  } finally {
    await file.close();
  }
}

async function create(context: Context, index: number, file: UserFile): Promise<NewContainer> {
  const { job } = context;
  const position = job.media_urls.length > 1 ? ` for file ${index + 1} of ${job.media_urls.length}` : '';
  const what = `Creating the container${position}`;
  const accesses = accessesFor(context);
  if (job.post_type === 'image') {
    if (rules.pictures === null) throw new Error('The rules have no needs of pictures');
    const picture = await file.fitted(rules.pictures);
    return createContainer(accesses, what, imageParameters(job, index, await picture.publicUrl()));
  }
  const source: VideoSource = isUploaded(context, file) ? 'upload' : { url: await file.publicUrl() };
  return createContainer(accesses, what, videoParameters(job, source, await coverUrl(context)));
}

const isUploaded = ({ credentials }: Context, { size }: UserFile) =>
  credentials.login === 'facebook' && size > UPLOAD_ABOVE_BYTES;

async function coverUrl(context: Context): Promise<string | null> {
  const cover = await context.files.cover('instagram_cover_url', FETCH_TIMEOUT_MS);
  return cover && cover.publicUrl();
}

/**
 * Uploads the bytes of a video that are still missing, as far as this invocation has time. Returns the container, without
 * upload URL once all bytes have arrived. Throws PlatformError where none arrived.
 */
export async function uploadFile(context: Context, container: Container): Promise<Container> {
  const { job, files, remainingMs } = context;
  const [url] = job.media_urls;
  if (url === undefined || container.upload_url === null) throw new Error('There is nothing to upload');
  const accesses = accessesFor(context);
  const done = { ...container, upload_url: null };
  const [access] = accesses.objects;
  if (!access) throw new Error('The account has no access');
  const file = await files.open(url, FETCH_TIMEOUT_MS);
  try {
    const offset = await uploadedBytes(accesses, container.id);
    if (offset >= file.size) return done;
    const timeoutMs = Math.min(MAX_UPLOAD_MS, Math.max(SECOND, remainingMs() - RESERVE_MS));
    const body = { stream: Readable.from(piecesOf(file, offset)), length: file.size - offset };
    try {
      await uploadBytes(access.client, container.upload_url, { offset, size: file.size, body, timeoutMs });
      return done;
    } catch (error) {
      // The upload continues where it was interrupted, unless no byte arrived.
      if (!(error instanceof PlatformError) || error.kind !== 'transient') throw error;
      const arrived = await uploadedBytes(accesses, container.id);
      if (arrived <= offset) throw error;
      return arrived >= file.size ? done : container;
    }
  } finally {
    await file.close();
  }
}

async function* piecesOf({ size, read }: UserFile, from: number): AsyncGenerator<Buffer> {
  for (let start = from; start < size; start += PIECE_BYTES) {
    yield await read(start, Math.min(PIECE_BYTES, size - start));
  }
}
