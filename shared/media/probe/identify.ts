import { fileTypeFromBuffer } from 'file-type';
import { formatOfType, type MediaFormat } from '../../model/media.ts';

/** Bytes that identify a format, and that hold the dimensions of nearly every image. */
export const HEAD_BYTES = 64 * 1024;

/** A file that the service does not accept. `found` names what it is. */
export interface UnsupportedFile {
  type: 'unsupported';
  found: string;
  message: string;
}

export type Identity = { type: 'known'; mime_type: string; format: MediaFormat } | UnsupportedFile;

/** Types that are often mistaken for supported ones, with what to do about them. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/heic': 'The file is a HEIC image, which platforms do not accept. Convert it to JPG or PNG',
    'image/heic-sequence':
      'The file is a HEIC image, which platforms do not accept. Convert it to JPG or PNG',
    'image/heif': 'The file is a HEIF image, which platforms do not accept. Convert it to JPG or PNG',
    'image/avif': 'The file is an AVIF image, which platforms do not accept. Convert it to JPG or PNG',
    'image/svg+xml': 'The file is an SVG image, which platforms do not accept. Convert it to PNG',
    'text/html': 'The file is a web page, not a media file',
  }),
);

/** Identifies a file by its first HEAD_BYTES, never by its name. `declaredType`: what its host calls it. */
export async function identify(head: Uint8Array, declaredType = ''): Promise<Identity> {
  const mime_type = await detectType(head, declaredType);
  const format = mime_type === null ? null : formatOfType(mime_type);
  return mime_type === null || format === null
    ? unknownType(mime_type, declaredType)
    : { type: 'known', mime_type, format };
}

/** Detects markup first, because it is often mistaken for media. The declared type is the last resort. */
async function detectType(head: Uint8Array, declaredType: string): Promise<string | null> {
  const text = Buffer.from(head.subarray(0, 1024))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^(?:<\?xml[^>]*>|<!--[^]*?-->|<!doctype svg[^>]*>|\s)*<svg[\s>]/i.test(text)) return 'image/svg+xml';
  const known = await fileTypeFromBuffer(head).catch(() => undefined);
  if (known) return known.mime;
  return /^<(?:!doctype html|html|head|body)\b/i.test(text) || /html/i.test(declaredType)
    ? 'text/html'
    : null;
}

function unknownType(type: string | null, declaredType: string): UnsupportedFile {
  const found = type ?? (declaredType.split(';')[0]?.trim() || 'an unknown type');
  return unsupported(found, HINTS.get(found) ?? `The file is of type ${found}, which is not supported`);
}

export const unsupported = (found: string, message: string): UnsupportedFile => ({
  type: 'unsupported',
  found,
  message,
});
