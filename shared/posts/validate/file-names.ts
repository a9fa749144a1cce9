import {
  FILE_OF_FORMAT,
  MEDIA_FORMATS,
  MediaFormatSchema,
  type MediaFormat,
  type MediaKind,
} from '../../model/media.ts';

/*
 * What the name of a file says, for files whose bytes were not read. A file that was read is judged by its bytes only.
 */

const OTHER_EXTENSIONS: Readonly<Record<string, MediaFormat>> = { jpeg: 'JPG', m4v: 'MP4', qt: 'MOV' };

const FORMATS: ReadonlyMap<string, MediaFormat> = new Map([
  ...MediaFormatSchema.options.map(format => [FILE_OF_FORMAT[format].extension, format] as const),
  ...Object.entries(OTHER_EXTENSIONS),
]);

/** Returns the format that the extension of a URL's path names; null where it names none. */
export function formatByName(url: string): MediaFormat | null {
  if (!URL.canParse(url)) return null;
  const extension = /\.([a-z0-9]{2,5})$/i.exec(new URL(url).pathname)?.[1] ?? '';
  return FORMATS.get(extension.toLowerCase()) ?? null;
}

/** Returns the kind of file that a URL names; null where it names none. */
export function kindByName(url: string): MediaKind | null {
  const format = formatByName(url);
  return format === null ? null : MEDIA_FORMATS[format];
}
