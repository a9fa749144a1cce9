import type { HttpClient } from '../net/http.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { mediaRejected } from './fetch/host-errors.ts';
import { downloadToScratch } from './fetch/scratch-file.ts';

export interface TextLimits {
  maxBytes: number;
  timeoutMs: number;
}

/**
 * Downloads a text file such as subtitles and returns its text without a byte order mark. Throws PlatformError
 * `rejected` for a file that is empty, larger than `maxBytes`, a web page, or not UTF-8, with a message that names
 * `field`; `transient` where its host fails.
 */
export async function readTextFile(
  http: Pick<HttpClient, 'open'>,
  field: string,
  url: string,
  limits: TextLimits,
): Promise<string> {
  const scratch = await withField(field, () => downloadToScratch(http, url, limits));
  try {
    const bytes = await scratch.read(0, scratch.size);
    const text = decodeUtf8(bytes);
    if (text === null)
      throw mediaRejected(`${field}: The file is not UTF-8 text. Save it with the encoding UTF-8`);
    if (isWebPage(text, scratch.access.declared_type))
      throw mediaRejected(`${field}: The URL returns a web page, not a text file`);
    return text;
  } finally {
    await scratch.remove();
  }
}

/** Names the field in an error message. */
async function withField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected')
      throw mediaRejected(`${field}: ${error.message}`);
    throw error;
  }
}

/** Returns null for bytes that are not UTF-8, or that no text file contains. */
function decodeUtf8(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isWebPage(text: string, type = ''): boolean {
  const start = text.slice(0, 200).trimStart().toLowerCase();
  return (
    type.toLowerCase().startsWith('text/html') ||
    start.startsWith('<!doctype html') ||
    start.startsWith('<html')
  );
}
