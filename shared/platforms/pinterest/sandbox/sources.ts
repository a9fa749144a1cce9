import * as v from 'valibot';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { MB } from '../../kit/sizes.ts';
import { invalid, refuse, type Grant } from './access.ts';
import { statusOf } from './media.ts';
import type { PinterestState } from './state.ts';

const MAX_IMAGE_BYTES = 20 * MB;
const FETCH_MS = 60_000;
const RATIO_TOLERANCE = 0.01;

const text = v.optional(v.string());
const count = <T extends v.GenericSchema>(item: T) =>
  v.pipe(v.array(item), v.minLength(2, 'constraint: minItems=2'), v.maxLength(5, 'constraint: maxItems=5'));
const inline = {
  content_type: v.picklist(['image/jpeg', 'image/png']),
  data: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9+/=]+$/, 'is not base64')),
};
const described = { title: text, description: text, link: text };
const index = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)));

export const SourceSchema = v.variant('source_type', [
  v.strictObject({ source_type: v.literal('image_url'), url: v.string() }),
  v.strictObject({ source_type: v.literal('image_base64'), ...inline }),
  v.strictObject({
    source_type: v.literal('multiple_image_urls'),
    index,
    items: count(v.strictObject({ url: v.string(), ...described })),
  }),
  v.strictObject({
    source_type: v.literal('multiple_image_base64'),
    index,
    items: count(v.strictObject({ ...inline, ...described })),
  }),
  v.strictObject({
    source_type: v.literal('video_id'),
    media_id: v.pipe(v.string(), v.regex(/^\d+$/, "does not match '^\\d+$'")),
    cover_image_url: text,
    cover_image_content_type: text,
    cover_image_data: text,
    cover_image_key_frame_time: index,
  }),
]);
type Source = v.InferOutput<typeof SourceSchema>;

/** Returns the files of a Pin. Ends the request when one cannot be fetched or used. */
export async function filesOf(state: PinterestState, grant: Grant, source: Source): Promise<StoredMedia[]> {
  switch (source.source_type) {
    case 'image_url':
      return [await fetchImage(state, grant, source.url)];
    case 'image_base64':
      return [await inlineImage(state, grant, source.data)];
    case 'multiple_image_urls':
      return sameRatio(await Promise.all(source.items.map(({ url }) => fetchImage(state, grant, url))));
    case 'multiple_image_base64':
      return sameRatio(await Promise.all(source.items.map(({ data }) => inlineImage(state, grant, data))));
    case 'video_id':
      return [video(state, grant, source)];
  }
}

async function fetchImage(state: PinterestState, grant: Grant, url: string): Promise<StoredMedia> {
  const request = { method: 'GET', url, timeoutMs: FETCH_MS, maxBytes: 2 * MAX_IMAGE_BYTES } as const;
  const response = await state.host.http.send(request).catch(() => null);
  if (response?.status !== 200 || (response.headers['content-type'] ?? '').startsWith('text/')) {
    return refuse(
      grant.account.unreachable_status,
      1,
      'Unable to reach the URL. Please check the URL and try again.',
    );
  }
  return { ...(await usable(state, grant, response.body)), url };
}

async function inlineImage(state: PinterestState, grant: Grant, data: string): Promise<StoredMedia> {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_IMAGE_BYTES) return refuse(413, 1, 'Request Entity Too Large');
  return usable(state, grant, bytes);
}

async function usable({ host }: PinterestState, { account }: Grant, bytes: Uint8Array): Promise<StoredMedia> {
  const file = await host.storeMedia(bytes);
  const { type, size, width, height } = file;
  const isImage = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(type);
  if (!isImage || width === undefined || height === undefined || size > MAX_IMAGE_BYTES) {
    return refuse(403, 235, 'Sorry, this image is broken. Please pick a different image.');
  }
  if (Math.min(width, height) < account.min_side) {
    return refuse(403, 233, 'Your image is too small. Please choose a larger image and try again.');
  }
  return file;
}

function sameRatio(files: StoredMedia[]): StoredMedia[] {
  const ratios = files.map(({ width = 1, height = 1 }) => width / height);
  const isSame = ratios.every(ratio => Math.abs(ratio / ratios[0]! - 1) <= RATIO_TOLERANCE);
  return isSame ? files : invalid('All images of a carousel must have the same aspect ratio.');
}

function video(
  state: PinterestState,
  { account }: Grant,
  source: Source & { source_type: 'video_id' },
): StoredMedia {
  const { cover_image_url, cover_image_data, cover_image_content_type, cover_image_key_frame_time } = source;
  const hasData = cover_image_data !== undefined && cover_image_content_type !== undefined;
  if (cover_image_url === undefined && !hasData && cover_image_key_frame_time === undefined) {
    return invalid('Video Pins need a cover: cover_image_url or cover_image_content_type');
  }
  const upload = state.uploads.get(source.media_id);
  if (upload?.account_id !== account.id) return invalid("'media_id': is not known");
  if (!upload.file || statusOf(state, upload) !== 'succeeded') return invalid("'media_id': is not ready");
  return upload.file;
}
