import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { MB } from '../../kit/sizes.ts';
import { guarded } from './access.ts';
import { invalidRequest, jsonBody, jsonObject, notFound, refuse } from './responses.ts';
import { gifFrames } from '../../kit/sandbox/gif.ts';
import { mediaError } from './media-rules.ts';
import { snowflake, type Grant, type XMedia, type XState } from './state.ts';

const LIMITS: Readonly<Record<string, number>> = {
  tweet_image: 5 * MB,
  tweet_gif: 15 * MB,
  tweet_video: 512 * MB,
  amplify_video: 512 * MB,
};
/** Prefix of the media types of a category; images by default. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  tweet_video: 'video/',
  amplify_video: 'video/',
  dm_video: 'video/',
  tweet_gif: 'image/gif',
  dm_gif: 'image/gif',
  subtitles: 'text/',
};
/** Largest part that is known to work; X responds 413 with an empty body to parts of 5 MB. */
const MAX_PART = 2 * MB;
/** Life of an open session and of a finalized file. */
const SESSION_S = 1_296_000;
const LIFE_S = 86_400;

const Initialize = v.strictObject({
  media_type: v.picklist([
    'video/mp4',
    'video/webm',
    'video/mp2t',
    'video/quicktime',
    'text/srt',
    'text/vtt',
    'image/jpeg',
    'image/gif',
    'image/bmp',
    'image/png',
    'image/webp',
    'image/pjpeg',
    'image/tiff',
    'model/gltf-binary',
    'model/vnd.usdz+zip',
  ]),
  media_category: v.picklist([
    'amplify_video',
    'tweet_gif',
    'tweet_image',
    'tweet_video',
    'dm_gif',
    'dm_image',
    'dm_video',
    'subtitles',
  ]),
  total_bytes: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(17_179_869_184)),
  shared: v.optional(v.boolean()),
  additional_owners: v.optional(v.array(v.pipe(v.string(), v.regex(/^\d{1,19}$/)))),
});

const Segment = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999));
const JsonAppend = v.strictObject({ segment_index: Segment, media: v.pipe(v.string(), v.base64()) });

const Metadata = v.object({
  id: v.pipe(v.string(), v.regex(/^\d{1,19}$/)),
  metadata: v.object({ alt_text: v.strictObject({ text: v.pipe(v.string(), v.maxLength(1000)) }) }),
});

/** Chunked upload, status and alternative text. */
export function addMedia(app: Hono, state: XState): void {
  const root = '/api.x.com/2/media';
  app.post(
    `${root}/upload/initialize`,
    guarded(state, 'initialize', (c, grant) => initialize(c, state, grant)),
  );
  app.post(
    `${root}/upload/:id/append`,
    guarded(state, 'append', (c, grant) => append(c, state, grant)),
  );
  app.post(
    `${root}/upload/:id/finalize`,
    guarded(state, 'finalize', (c, grant) => finalize(c, state, grant)),
  );
  app.get(
    `${root}/upload`,
    guarded(state, 'status', (c, grant) => status(c, state, grant)),
  );
  app.post(
    `${root}/metadata`,
    guarded(state, 'metadata', (c, grant) => metadata(c, state, grant)),
  );
}

async function initialize(c: Context, state: XState, { account }: Grant): Promise<Response> {
  const {
    media_type: type,
    media_category: category,
    total_bytes: totalBytes,
  } = await jsonBody(c, Initialize);
  const fits = type.startsWith(MEDIA_TYPES[category] ?? 'image/');
  if (!fits) {
    return invalidRequest(`media_category ${category} does not accept ${type}.`);
  }
  const limit = LIMITS[category] ?? 0;
  if (totalBytes > limit) return invalidRequest(`File size exceeds ${limit} bytes.`);

  const now = state.host.now();
  const id = snowflake(now);
  const key = `${KEY_PREFIXES[category] ?? 3}_${id}`;
  state.media.set(id, {
    id,
    key,
    account,
    category,
    type,
    totalBytes,
    segments: new Map(),
    expiresAt: now + SESSION_S * 1000,
    altText: null,
    file: null,
    invalid: null,
    finalizedAt: 0,
  });
  return c.json({ data: { id, media_key: key, expires_after_secs: SESSION_S - 1 } });
}

/** Media keys begin with the kind of the media. */
const KEY_PREFIXES: Readonly<Record<string, number>> = { tweet_video: 13, amplify_video: 13, tweet_gif: 16 };

export const isVideo = ({ category }: XMedia) => category === 'tweet_video' || category === 'amplify_video';

/** Finds unexpired media of the user. */
export function findMedia(state: XState, id: string, { account }: Grant): XMedia | null {
  const media = state.media.get(id);
  return media && media.account.id === account.id && media.expiresAt > state.host.now() ? media : null;
}

function requireMedia(state: XState, id: string, grant: Grant): XMedia {
  return findMedia(state, id, grant) ?? notFound('media', id);
}

async function append(c: Context, state: XState, grant: Grant): Promise<Response> {
  const media = requireMedia(state, c.req.param('id') ?? '', grant);
  if (media.file) return invalidRequest('The media upload is finalized already.');
  const { segment, bytes } = await readPart(c);
  if (bytes.length === 0) return invalidRequest('media must not be empty.');
  if (bytes.length > MAX_PART) return refuse(413, null);
  media.segments.set(segment, bytes);
  // The OpenAPI document describes a body, the older reference an empty one: every other part gets none.
  if (segment % 2 === 1) return c.body(null, 204);
  return c.json({ data: { expires_at: Math.floor(media.expiresAt / 1000) } });
}

async function readPart(c: Context): Promise<{ segment: number; bytes: Uint8Array }> {
  if (!/^multipart\/form-data\b/.test(c.req.header('content-type') ?? '')) {
    const { segment_index: segment, media } = await jsonBody(c, JsonAppend);
    return { segment, bytes: Buffer.from(media, 'base64') };
  }
  const form = await c.req.formData().catch(() => invalidRequest('The form cannot be read.'));
  const unknown = [...form.keys()].find(name => name !== 'segment_index' && name !== 'media');
  const [index, file] = [form.get('segment_index'), form.get('media')];
  if (unknown !== undefined) return invalidRequest(`${unknown}: unknown property`);
  if (typeof index !== 'string' || !/^\d+$/.test(index) || !v.is(Segment, Number(index))) {
    return invalidRequest('segment_index must be an integer from 0 to 999.');
  }
  if (!(file instanceof File)) return invalidRequest('media must be a file.');
  return { segment: Number(index), bytes: new Uint8Array(await file.arrayBuffer()) };
}

async function finalize(c: Context, state: XState, grant: Grant): Promise<Response> {
  await jsonObject(c);
  const media = requireMedia(state, c.req.param('id') ?? '', grant);
  if (media.file) return c.json(mediaBody(state, media));
  const parts = Array.from({ length: media.segments.size }, (_, index) => media.segments.get(index));
  if (parts.some(part => part === undefined)) return invalidRequest('Segments do not form a sequence.');
  const bytes = Buffer.concat(parts.map(part => part!));
  if (bytes.length !== media.totalBytes) {
    return invalidRequest(
      `Segments do not add up to provided total file size: ${bytes.length} of ${media.totalBytes}.`,
    );
  }
  const file = await state.host.storeMedia(bytes);
  if (!needsProcessing(media) && file.type !== media.type) return invalidRequest('media type unrecognized.');
  if (media.category === 'tweet_image' && gifFrames(bytes) > 1) {
    return invalidRequest('An animated GIF needs media_category tweet_gif.');
  }
  media.file = file;
  media.invalid = needsProcessing(media) ? mediaError(media.category, file, bytes) : null;
  media.finalizedAt = state.host.now();
  media.expiresAt = media.finalizedAt + LIFE_S * 1000;
  media.segments.clear();
  return c.json(mediaBody(state, media));
}

/** Images are ready at once; GIFs and videos are processed. */
function needsProcessing({ category }: XMedia): boolean {
  return category !== 'tweet_image';
}

type ProcessingState = 'pending' | 'in_progress' | 'succeeded' | 'failed';

function processingOf(state: XState, media: XMedia): { state: ProcessingState; percent: number } {
  const { seconds, outcome } = state.host.processing('x');
  const elapsed = state.host.now() - media.finalizedAt;
  if (elapsed < seconds * 1000) {
    return { state: 'in_progress', percent: Math.floor((100 * elapsed) / (seconds * 1000)) };
  }
  const isValid = outcome === 'ok' && media.invalid === null;
  return { state: isValid ? 'succeeded' : 'failed', percent: 100 };
}

export function isReady(state: XState, media: XMedia): boolean {
  return media.file !== null && (!needsProcessing(media) || processingOf(state, media).state === 'succeeded');
}

function mediaBody(state: XState, media: XMedia) {
  const common = {
    id: media.id,
    media_key: media.key,
    size: media.totalBytes,
    expires_after_secs: Math.floor((media.expiresAt - state.host.now()) / 1000),
  };
  if (needsProcessing(media)) {
    return { data: { ...common, processing_info: { state: 'pending', check_after_secs: 1 } } };
  }
  return {
    data: {
      ...common,
      image: { w: media.file?.width ?? 0, h: media.file?.height ?? 0, image_type: media.type },
    },
  };
}

function status(c: Context, state: XState, grant: Grant): Response {
  if (c.req.query('command') !== 'STATUS') return invalidRequest('command must be STATUS.');
  const media = requireMedia(state, c.req.query('media_id') ?? '', grant);
  const body = mediaBody(state, media);
  if (!media.file || !needsProcessing(media)) return c.json(body);
  const { state: now, percent } = processingOf(state, media);
  const waits = now === 'in_progress' ? { check_after_secs: 1 } : {};
  const info = { state: now, progress_percent: percent, ...waits };
  if (now !== 'failed') return c.json({ data: { ...body.data, processing_info: info } });
  const { inInfo, errors } = failureCause(state, media);
  return c.json({ data: { ...body.data, processing_info: { ...info, ...inInfo } }, ...errors });
}

/**
 * The cause of a failed processing, in one of the forms that X uses: in `processing_info` for an invalid file, in `errors` for
 * an error set by `POST /_control/processing`, or none at all.
 */
function failureCause(state: XState, { invalid }: XMedia): { inInfo: object; errors: object } {
  if (invalid !== null) {
    return { inInfo: { error: { code: 1, name: 'InvalidMedia', message: invalid } }, errors: {} };
  }
  const { error } = state.host.processing('x');
  const errors =
    error === null ? {} : { errors: [{ title: 'InvalidMedia', detail: error, type: 'about:blank' }] };
  return { inInfo: {}, errors };
}

async function metadata(c: Context, state: XState, grant: Grant): Promise<Response> {
  const { id, metadata: given } = await jsonBody(c, Metadata);
  const media = requireMedia(state, id, grant);
  if (isVideo(media)) return invalidRequest('alt_text is for images and GIFs only.');
  media.altText = given.alt_text.text;
  return c.json({ data: { id, associated_metadata: { alt_text: given.alt_text } } });
}
