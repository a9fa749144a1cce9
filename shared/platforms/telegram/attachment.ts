import { imageSize } from 'image-size';
import { BufferSource, Input, MP4 } from 'mediabunny';
import type { PostType } from '../../model/platform.ts';
import { describeImage, shrinkImage } from '../image.ts';
import { fetchMedia, mediaRejected, type MediaSource } from './fetch-media.ts';
import type { UploadFile } from '../../net/multipart.ts';

export type AttachmentKind = 'photo' | 'video' | 'animation' | 'document';

/** A file in the shape in which Telegram takes it. */
export interface Attachment {
  kind: AttachmentKind;
  file: UploadFile;
  /** Method parameters beside the file; a video without them is shown as a square. */
  facts: Readonly<Record<string, string>>;
}

/** https://core.telegram.org/bots/api#sendphoto */
const PHOTO = { maxBytes: 10_000_000, maxSides: 10_000, maxRatio: 20 };
const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/bmp', 'image/tiff'];
/** What the image library can make smaller. */
const SHRINKABLE = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Fetches a file and chooses how it is sent. Throws PlatformError `rejected` where Telegram would not take it. */
export async function loadAttachment(source: MediaSource, url: string, type: PostType): Promise<Attachment> {
  const file = await fetchMedia(source, url);
  if (type === 'document') return asDocument(file);
  if (file.type.startsWith('image/')) return fromImage(file);
  if (type === 'video' && file.type.startsWith('video/')) return fromVideo(file);
  throw mediaRejected(
    `The file is ${file.type}, not an ${type === 'video' ? 'MP4 or other video' : 'image'}`,
  );
}

/**
 * Several files make an album: photos only, or documents only where one cannot be a photo, since Telegram mixes neither
 * (https://core.telegram.org/bots/api#sendmediagroup). An animation stands still there.
 */
export function asAlbum(attachments: readonly Attachment[]): readonly Attachment[] {
  if (attachments.length < 2) return attachments;
  const kind = attachments.some(one => one.kind === 'document') ? 'document' : 'photo';
  return attachments.map(({ file }) => ({ kind, file, facts: {} }));
}

function asDocument(file: UploadFile): Attachment {
  return { kind: 'document', file, facts: {} };
}

async function fromImage(file: UploadFile): Promise<Attachment> {
  if (file.type === 'image/gif' && (await describeImage(file.bytes)).animated) {
    return { kind: 'animation', file, facts: {} };
  }
  const sides = PHOTO_TYPES.includes(file.type) ? sidesOf(file.bytes) : null;
  if (!sides || sides.long > sides.short * PHOTO.maxRatio) return asDocument(file);
  const scale = PHOTO.maxSides / (sides.long + sides.short);
  if (scale >= 1 && file.bytes.byteLength <= PHOTO.maxBytes) return { kind: 'photo', file, facts: {} };
  if (!SHRINKABLE.includes(file.type)) return asDocument(file);
  const maxSide = Math.floor(sides.long * Math.min(1, scale));
  const smaller = await shrinkImage(file.bytes, { maxBytes: PHOTO.maxBytes, maxSide });
  return { kind: 'photo', file: { name: file.name, type: smaller.type, bytes: smaller.bytes }, facts: {} };
}

function sidesOf(bytes: Uint8Array): { long: number; short: number } | null {
  try {
    const { width, height } = imageSize(bytes);
    return { long: Math.max(width, height), short: Math.min(width, height) };
  } catch {
    return null;
  }
}

/** Only MP4 plays inside a chat; other containers are sent as files. */
async function fromVideo(file: UploadFile): Promise<Attachment> {
  if (file.type !== 'video/mp4') return asDocument(file);
  return { kind: 'video', file, facts: await videoFacts(file.bytes) };
}

async function videoFacts(bytes: Uint8Array): Promise<Record<string, string>> {
  try {
    using input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
    const track = await input.getPrimaryVideoTrack();
    if (!track) return {};
    return {
      width: String(await track.getDisplayWidth()),
      height: String(await track.getDisplayHeight()),
      duration: String(Math.round(await input.computeDuration())),
      supports_streaming: 'true',
    };
  } catch {
    // Telegram may know better than this parser; the facts are a help, not a condition.
    return {};
  }
}
