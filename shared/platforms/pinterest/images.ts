import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { FittedPicture } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { MB } from '../kit/sizes.ts';
import { rules } from './rules.ts';
import type { Context, State } from './state.ts';

/** Time for the request after the files were opened. */
const REQUEST_MS = 65 * SECOND;
/** Time that one picture needs: download, conversion and storing it in the bucket. */
const PICTURE_MS = 60 * SECOND;
/** Of all images that are sent in the request. */
const MAX_INLINE_BYTES = 10 * MB;

/** Converts the images where needed and stores them where Pinterest can fetch them. */
export async function prepareImages(context: Context, state: State): Promise<StepResult<State>> {
  const { job, remainingMs } = context;
  const images: string[] = [];
  for (const url of job.media_urls) {
    if (images.length > 0 && remainingMs() < PICTURE_MS) throw tooSlow();
    images.push(await (await pictureOf(context, url)).publicUrl());
  }
  return { type: 'next', state: { ...state, images } };
}

async function pictureOf({ files, remainingMs }: Context, url: string): Promise<FittedPicture> {
  const file = await files.open(url, Math.max(SECOND, remainingMs() - REQUEST_MS));
  try {
    if (rules.pictures === null) throw new Error('Pinterest accepts pictures');
    return await file.fitted(rules.pictures);
  } finally {
    await file.close();
  }
}

const tooSlow = () =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'The media URLs respond too slowly',
  });

/** An image as Pinterest takes it in a request. */
export interface InlineImage {
  content_type: string;
  data: string;
}

/** Returns the images for the request; null where they are too large or of a type that must be fetched. */
export async function inlineImages(context: Context): Promise<InlineImage[] | null> {
  const images: InlineImage[] = [];
  let bytes = 0;
  for (const url of context.job.media_urls) {
    const picture = await pictureOf(context, url);
    bytes += picture.bytes.byteLength;
    if (bytes > MAX_INLINE_BYTES || !['image/jpeg', 'image/png'].includes(picture.type)) return null;
    images.push({ content_type: picture.type, data: Buffer.from(picture.bytes).toString('base64') });
  }
  return images;
}
