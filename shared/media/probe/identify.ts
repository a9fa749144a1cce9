import { fileTypeFromBuffer } from 'file-type';
import { formatOfType, type MediaFormat } from '../../model/media.ts';
import { unsupported, type UnsupportedFile } from './unsupported.ts';

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
  const markup = await detectMarkup(head);
  if (markup === 'svg') return 'image/svg+xml';
  const known = await fileTypeFromBuffer(head).catch(() => undefined);
  if (known) return known.mime;
  return markup === 'html' || /html/i.test(declaredType) ? 'text/html' : null;
}

/** Prolog, comments and the first element are within these bytes. */
const MARKUP_HEAD_BYTES = 4096;
const HTML_ELEMENTS = new Set(['html', 'head', 'body']);

/** Returns the kind of markup by its doctype or first element; null for a file that is not markup. */
async function detectMarkup(head: Uint8Array): Promise<'svg' | 'html' | null> {
  const text = new TextDecoder().decode(head.subarray(0, MARKUP_HEAD_BYTES)).trimStart();
  if (!text.startsWith('<')) return null;
  // Loaded here, because most files are no markup.
  const { readHtml } = await import('../../net/html.ts');
  let kind: 'svg' | 'html' | null = null;
  readHtml(text, {
    declaration: declaration => {
      if (/^doctype html\b/i.test(declaration)) kind ??= 'html';
    },
    startTag: name => {
      if (name === 'svg' || name.endsWith(':svg')) kind = 'svg';
      else if (HTML_ELEMENTS.has(name)) kind ??= 'html';
      return false;
    },
  });
  return kind;
}

/** `type`: what the bytes tell; the declared type is what a host or user says, and serves for hints only. */
function unknownType(type: string | null, declaredType: string): UnsupportedFile {
  const found = type ?? (declaredType.split(';')[0]?.trim() || 'unknown');
  const message =
    type === null
      ? 'The type of the file was not recognized'
      : `The file is of type ${type}, which is not supported`;
  return unsupported(found, HINTS.get(found) ?? message);
}
