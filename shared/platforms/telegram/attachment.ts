import type { FormFilePart } from '../../net/multipart.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepContext } from '../contract/publisher.ts';
import { PHOTOS } from './rules.ts';

export type AttachmentKind = 'photo' | 'video' | 'animation' | 'document';

/** A file in the shape in which Telegram takes it. */
export interface Attachment {
  kind: AttachmentKind;
  file: FormFilePart;
  /** Method parameters beside the file; a video without them is shown as a square. */
  facts: Readonly<Record<string, string>>;
}

/** A longer shape is no photo: https://core.telegram.org/bots/api#sendphoto */
const MAX_RATIO = 20;

/**
 * Fetches a file and chooses how it is sent; `asFile`: an image too is sent as a file. Throws PlatformError `rejected`
 * where Telegram would not take it.
 */
export async function loadAttachment(
  { files }: Pick<StepContext<unknown>, 'files'>,
  url: string,
  { timeoutMs, asFile }: { timeoutMs: number; asFile: boolean },
): Promise<Attachment> {
  const file = await files.open(url, timeoutMs);
  try {
    if (file.facts.kind === 'image') return await (asFile ? asDocument : fromImage)(file, url);
    return file.facts.format === 'MP4' ? await fromVideo(file, url) : await asDocument(file, url);
  } finally {
    await file.close();
  }
}

/**
 * Several files make an album: photos only, or documents only where one cannot be a photo, since Telegram mixes neither
 * (https://core.telegram.org/bots/api#sendmediagroup). An animation stands still there. A document of an album needs no
 * facts: Telegram never detects its content type (https://core.telegram.org/bots/api#inputmediadocument).
 */
export function asAlbum(attachments: readonly Attachment[]): readonly Attachment[] {
  if (attachments.length < 2) return attachments;
  const kind = attachments.some(one => one.kind === 'document') ? 'document' : 'photo';
  return attachments.map(({ file }) => ({ kind, file, facts: {} }));
}

/** Without content type detection Telegram shows no image as a sticker, which has no caption. */
async function asDocument(file: UserFile, url: string): Promise<Attachment> {
  const isImage = file.facts.type.startsWith('image/');
  const facts = isImage ? { disable_content_type_detection: 'true' } : {};
  return { kind: 'document', file: await whole(file, url), facts };
}

async function whole({ facts, size, read }: UserFile, url: string): Promise<FormFilePart> {
  return { name: fileName(url, facts.type), type: facts.type, bytes: await read(0, size) };
}

/** A photo where it can be one; a picture that cannot be made fit is sent as a file. */
async function fromImage(file: UserFile, url: string): Promise<Attachment> {
  const { width, height } = file.facts;
  if (width === null || height === null) return asDocument(file, url);
  if (Math.max(width, height) > Math.min(width, height) * MAX_RATIO) return asDocument(file, url);
  try {
    const { bytes, type, animated } = await file.fitted(PHOTOS);
    const kind = animated && type === 'image/gif' ? 'animation' : 'photo';
    return { kind, file: { name: fileName(url, type), type, bytes }, facts: {} };
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'MEDIA_REJECTED') return asDocument(file, url);
    throw error;
  }
}

/** Only MP4 plays inside a chat; other containers are sent as files. */
async function fromVideo(file: UserFile, url: string): Promise<Attachment> {
  const { width, height, duration } = file.facts;
  const facts = {
    ...(width === null || height === null ? {} : { width: String(width), height: String(height) }),
    ...(duration === null ? {} : { duration: String(Math.round(duration)) }),
    supports_streaming: 'true',
  };
  return { kind: 'video', file: await whole(file, url), facts };
}

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: 'jpg', quicktime: 'mov', 'x-m4v': 'm4v' };

/** The URL's own name, since a document shows it; always with the extension of its true type. */
function fileName(url: string, type: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const stem = decoded(last).replace(/\.[A-Za-z0-9]{1,5}$/, '') || 'file';
  const subtype = type.split('/').at(-1) ?? '';
  return `${stem}.${EXTENSIONS[subtype] ?? subtype.replace(/^(?:x-|vnd\.)/, '')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
