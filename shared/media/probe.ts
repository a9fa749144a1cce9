import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny';
import { formatOfType, MEDIA_FORMATS, type MediaFacts } from '../model/media.ts';
import { HttpFailure, type HttpClient } from '../net/http.ts';
import { SECOND } from '../time/instant.ts';
import { readPart, type Part } from './ranges.ts';

/** What a look at a media URL gave. */
export type Probe =
  | { type: 'known'; facts: MediaFacts }
  /** There is a file, of no format that the service takes. `found` names what it is. */
  | { type: 'unsupported'; found: string; message: string }
  /** The address is private, or not http(s). */
  | { type: 'blocked'; message: string }
  /** The origin refused or did not answer. It may do so for the platform too. */
  | { type: 'unreachable'; message: string };

/** Enough to tell a type and nearly every picture's dimensions. */
const HEAD_BYTES = 64 * 1024;
/** A camera's notes may push a JPEG's dimensions this far back. */
const LONG_HEAD_BYTES = 1024 * 1024;
/** Most that is read of a video to find its dimensions and duration. */
const VIDEO_BUDGET_BYTES = 12 * 1024 * 1024;

const TIMEOUT_MS = 12 * SECOND;

/**
 * Tells what a media URL holds from its bytes, by a few ranged reads: never the name, never the content type. Never
 * throws for what the origin does. `http` is the guarded client; `timeoutMs` bounds all reads together.
 */
export async function probeMedia(
  http: Pick<HttpClient, 'open'>,
  url: string,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Probe> {
  const deadline = Date.now() + timeoutMs;
  const read = (start: number, end: number) =>
    readPart(http, url, start, end, Math.max(1, deadline - Date.now()));
  try {
    const head = await read(0, HEAD_BYTES);
    if (head.status !== 200 && head.status !== 206) return unreachable(`It answers ${head.status}`);
    return await describe(head, read);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { type: error.reason === 'blocked' ? 'blocked' : 'unreachable', message: error.message };
  }
}

type Read = (start: number, end: number) => Promise<Part>;

async function describe(head: Part, read: Read): Promise<Probe> {
  if (head.bytes.byteLength === 0) return unreachable('It is empty');
  const type = (await fileTypeFromBuffer(head.bytes))?.mime;
  const format = type === undefined ? null : formatOfType(type);
  if (type === undefined || format === null) return unsupported(type, head);
  const kind = MEDIA_FORMATS[format];
  const facts: MediaFacts = {
    type,
    format,
    kind,
    size: head.size,
    width: null,
    height: null,
    duration: null,
  };
  if (kind === 'image') return known({ ...facts, ...(await pictureSize(head, read)) });
  if (kind === 'video') return known({ ...facts, ...(await clipFacts(head, read)) });
  return known(facts);
}

function unsupported(type: string | undefined, head: Part): Probe {
  const found = type ?? (head.contentType.split(';')[0] || 'no known type');
  const isPage = type === undefined && /html/i.test(head.contentType);
  const message = isPage ? 'The link gives a web page, not a file' : `It is ${found}, which is not supported`;
  return { type: 'unsupported', found, message };
}

/** Width and height after the orientation that a camera noted; nothing where they cannot be told. */
async function pictureSize(head: Part, read: Read): Promise<Pick<MediaFacts, 'width' | 'height'>> {
  const size = sizeIn(head.bytes);
  const complete = head.size !== null && head.size <= head.bytes.byteLength;
  if (size || complete) return size ?? { width: null, height: null };
  const longer = await read(0, LONG_HEAD_BYTES);
  return sizeIn(longer.bytes) ?? { width: null, height: null };
}

function sizeIn(bytes: Uint8Array): Pick<MediaFacts, 'width' | 'height'> | null {
  try {
    // A copy: the parser reads past the end of a view into a larger buffer.
    const { width, height, orientation = 1 } = imageSize(Uint8Array.from(bytes));
    if (!(width > 0 && height > 0)) return null;
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return null;
  }
}

/** Dimensions and duration of a clip; nothing for containers that cannot be read in parts. */
async function clipFacts(
  head: Part,
  read: Read,
): Promise<Partial<Pick<MediaFacts, 'width' | 'height' | 'duration'>>> {
  const file = await wholeOrParts(head, read);
  if (!file) return {};
  const input = new Input({ formats: [MP4, QTFF, WEBM, MATROSKA], source: new CustomSource(file) });
  try {
    const track = await input.getPrimaryVideoTrack();
    const duration = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    if (!track) return { duration };
    return { width: await track.getDisplayWidth(), height: await track.getDisplayHeight(), duration };
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
    return {};
  } finally {
    input.dispose();
  }
}

interface RandomAccess {
  getSize: () => number;
  read: (start: number, end: number) => Uint8Array | Promise<Uint8Array>;
}

/** A file to jump about in: by ranges where the origin has them, else read as a whole where it is small enough. */
async function wholeOrParts(head: Part, read: Read): Promise<RandomAccess | null> {
  const { size } = head;
  if (head.ranged && size !== null) return inParts(head.bytes, size, read);
  if (size === null || size > VIDEO_BUDGET_BYTES) return null;
  const whole = size <= head.bytes.byteLength ? head : await read(0, size);
  return whole.bytes.byteLength === size
    ? { getSize: () => size, read: (start, end) => whole.bytes.subarray(start, end) }
    : null;
}

function inParts(head: Uint8Array, size: number, read: Read): RandomAccess {
  let budget = VIDEO_BUDGET_BYTES;
  return {
    getSize: () => size,
    read: async (start, end) => {
      if (end <= head.byteLength) return head.subarray(start, end);
      budget -= end - start;
      if (budget < 0) throw new Error('The clip needs too much reading');
      const part = await read(start, end);
      if (!part.ranged || part.bytes.byteLength !== end - start) throw new Error('The origin lost the range');
      return part.bytes;
    },
  };
}

const known = (facts: MediaFacts): Probe => ({ type: 'known', facts });

const unreachable = (message: string): Probe => ({ type: 'unreachable', message });
