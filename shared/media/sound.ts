import { imageSize } from 'image-size';
import { MEDIA_FORMATS, type MediaFormat } from '../model/media.ts';
import { readObject, type Bucket } from '../store/objects.ts';
import { inMemory, type FileAccess } from './access.ts';
import { lookAt, WHOLE_BYTES } from './look.ts';
import { activeContent } from './pdf.ts';

/** What a whole file is, when nothing is wrong with it. */
export type Verdict = { format: MediaFormat } | { fault: string };

/** A file whose size is known. */
type Whole = FileAccess & { size: number };

/** A picture with more would not be opened by anybody: it is small as a file and huge when it is shown. */
const MAX_PIXELS = 268_402_689;

/** Looks at a whole file from its first byte to its last, as far as its format needs. */
export async function judge(file: Whole): Promise<Verdict> {
  const look = await lookAt(file);
  if (look.type === 'unsupported') return { fault: look.message };
  const { format } = look.facts;
  const fault = await faultIn(format, file);
  return fault === null ? { format } : { fault };
}

export const judgeBytes = (bytes: Uint8Array) => judge({ ...inMemory(bytes), size: bytes.byteLength });

/** The same of a file in the bucket. `etag`: the version that is meant. */
export function judgeObject(bucket: Bucket, key: string, size: number, etag?: string): Promise<Verdict> {
  const version = etag === undefined ? {} : { etag };
  return judge({
    size,
    read: async (start, end) =>
      (await readObject(bucket, key, { start, end, ...version })) ?? new Uint8Array(),
  });
}

async function faultIn(format: MediaFormat, file: Whole): Promise<string | null> {
  if (await IS_CUT[format]?.(file)) return `It is damaged: the ${format} file breaks off`;
  if (MEDIA_FORMATS[format] === 'image') return pixelFault(file);
  return format === 'PDF' ? scriptFault(file) : null;
}

type Check = (file: Whole) => Promise<boolean>;

/**
 * Whether a file ends before its own structure says so, where the first look does not tell. What cannot be told for
 * sure counts as whole.
 */
const IS_CUT: Readonly<Partial<Record<MediaFormat, Check>>> = {
  JPG: isCutJpeg,
  PNG: file => lacks(file, Buffer.from('IEND')),
  GIF: file => lacks(file, Buffer.from([0x00, 0x3b]), 512),
  WebP: isShorterThanRiff,
  AVI: isShorterThanRiff,
  BMP: async file => file.size < (await numberAt(file, 2)),
  WMV: isCutAsf,
  PDF: file => lacks(file, Buffer.from('%%EOF')),
};

/** What marks the end of a file lies this close to it; cameras and tools may put something behind. */
const TAIL_BYTES = 64 * 1024;

async function lacks(file: Whole, mark: Buffer, within = TAIL_BYTES): Promise<boolean> {
  const tail = await file.read(Math.max(0, file.size - within), file.size);
  return !Buffer.from(tail).includes(mark);
}

async function isShorterThanRiff(file: Whole): Promise<boolean> {
  return file.size < 8 + (await numberAt(file, 4));
}

/** Four bytes, the lowest first; 0 where there are none. */
async function numberAt({ read }: Whole, at: number): Promise<number> {
  const found = Buffer.from(await read(at, at + 4));
  return found.byteLength < 4 ? 0 : found.readUInt32LE(0);
}

/** A JPEG ends with a marker; what a phone puts behind it (a clip, another picture) may be long. */
async function isCutJpeg(file: Whole): Promise<boolean> {
  const end = Buffer.from([0xff, 0xd9]);
  const begin = await scanStart(file);
  if (!(await lacks(file, end, Math.min(TAIL_BYTES, file.size - begin)))) return false;
  return !(await some(file, begin, part => part.includes(end)));
}

const MAX_SEGMENTS = 1000;

/** Where the picture itself begins: before it, a camera may have put a small one with an end of its own. */
async function scanStart(file: Whole): Promise<number> {
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS && at < file.size; segment += 1) {
    const head = Buffer.from(await file.read(at, at + 4));
    if (head.byteLength < 4 || head[0] !== 0xff) return at;
    if (head[1] === 0xda) return at + 2;
    at += 2 + head.readUInt16BE(2);
  }
  return Math.min(at, file.size);
}

const ASF_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex');

/** ASF: the file's size stands in its properties, unless it was broadcast. */
async function isCutAsf(file: Whole): Promise<boolean> {
  const head = Buffer.from(await file.read(0, 4096));
  const properties = head.indexOf(ASF_PROPERTIES);
  if (properties === -1 || head.byteLength < properties + 92) return false;
  const isBroadcast = (head.readUInt32LE(properties + 88) & 1) === 1;
  return !isBroadcast && Number(head.readBigUInt64LE(properties + 40)) > file.size;
}

const HEAD_OF_PICTURE = 1024 ** 2;

async function pixelFault(file: Whole): Promise<string | null> {
  const head = Uint8Array.from(await file.read(0, Math.min(file.size, HEAD_OF_PICTURE)));
  const { width, height } = sizeIn(head);
  if (width * height <= MAX_PIXELS) return null;
  return `The picture has ${width} x ${height} pixels; at most ${MAX_PIXELS} are taken`;
}

function sizeIn(head: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(head);
  } catch {
    return { width: 0, height: 0 };
  }
}

/** The first look goes so far and no further into a document. */
async function scriptFault(file: Whole): Promise<string | null> {
  if (file.size <= WHOLE_BYTES) return null;
  const isActive = await some(file, WHOLE_BYTES - OVERLAP_BYTES, part => activeContent(part) !== null);
  return isActive ? 'It is a PDF with a script in it, which the service does not pass on' : null;
}

const STEP_BYTES = 8 * 1024 ** 2;
/** Longer than any mark that is looked for. */
const OVERLAP_BYTES = 64;

/** Whether any part of a file passes: read piece by piece, each with the end of the one before. */
async function some(file: Whole, begin: number, passes: (part: Buffer) => boolean): Promise<boolean> {
  for (let start = begin; start < file.size; start += STEP_BYTES - OVERLAP_BYTES) {
    const part = await file.read(start, Math.min(file.size, start + STEP_BYTES));
    if (passes(Buffer.from(part))) return true;
  }
  return false;
}
