import type { FormFilePart } from '../../net/multipart.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { PictureNeeds } from '../contract/pictures.ts';
import type { StepContext } from '../contract/publisher.ts';
import { pictureNeedsOf, sentTogether } from '../kit/files.ts';
import { PHOTOS } from './rules.ts';

export type AttachmentKind = 'photo' | 'video' | 'animation' | 'document';

/** A file in the shape in which Telegram takes it. */
export interface Attachment {
  kind: AttachmentKind;
  file: FormFilePart;
  /** Method parameters beside the file; a video without them is shown as a square. */
  facts: Readonly<Record<string, string>>;
}

/**
 * Fetches a file and chooses how it is sent; `asFile`: an image too is sent as a file. Throws PlatformError `rejected`
 * where Telegram would not take it.
 */
export async function loadAttachment(
  { files, job }: Pick<StepContext<unknown>, 'files' | 'job'>,
  url: string,
  { timeoutMs, asFile }: { timeoutMs: number; asFile: boolean },
): Promise<Attachment> {
  const file = await files.open(url, timeoutMs);
  try {
    if (asFile || file.sent_as === 'file') return await asDocument(file, url);
    if (file.facts.kind === 'image') return await fromImage(file, url, pictureNeedsOf(PHOTOS, job));
    return file.facts.kind === 'video' ? await fromVideo(file, url) : await asDocument(file, url);
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
  const sent = sentTogether(attachments.map(({ kind }) => (kind === 'document' ? 'file' : 'unchanged')));
  return attachments.map(({ file }, index) => ({
    kind: sent[index] === 'file' ? 'document' : 'photo',
    file,
    facts: {},
  }));
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

async function fromImage(file: UserFile, url: string, needs: PictureNeeds): Promise<Attachment> {
  const { bytes, type, animated } = await file.fitted(needs);
  const isMoving = animated && type === 'image/gif' && needs.animation === 'kept';
  return {
    kind: isMoving ? 'animation' : 'photo',
    file: { name: fileName(url, type), type, bytes },
    facts: {},
  };
}

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
