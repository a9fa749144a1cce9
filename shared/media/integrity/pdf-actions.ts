import { inflateSync, constants } from 'node:zlib';
import { createBudget, type Budget } from '../probe/budget.ts';
import { chunksOf, type SizedFile } from '../probe/file-access.ts';

/* Finds what a PDF does besides being read: names of actions (ISO 32000-1, 12.6.4), also in compressed objects. */

const SCRIPT = 'a script';
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['JavaScript', SCRIPT],
  ['JS', SCRIPT],
  ['Launch', 'an action that starts a program'],
]);

/** Compressed objects are unpacked to so many bytes of one file, and for so long. */
const DECODE_LIMITS = { bytes: 64 * 1024 ** 2, ms: 5000 };
const MAX_OBJECT_STREAM_BYTES = 8 * 1024 ** 2;
/** Charged for each compressed object, since even an empty one takes time. */
const MIN_STREAM_COST = 4096;

const UNREADABLE = 'compressed objects that cannot be checked';

/**
 * Returns what a PDF does besides being read; null for nothing. What cannot be checked, because it is encoded unusually
 * or would take too long, counts too. Throws what reading the file throws.
 */
export async function findPdfAction(file: SizedFile): Promise<string | null> {
  const budget = createBudget(DECODE_LIMITS);
  const scanner = createScanner();
  for await (const { start, chunk, isLast } of chunksOf(file, 0)) {
    for (const finding of scanner.scan(start, chunk, isLast)) {
      if (typeof finding === 'string') return finding;
      const packed = await readStream(file, finding.start, start, chunk);
      const action = findPackedAction(packed, finding.filters, budget);
      if (action !== null) return action;
    }
  }
  return null;
}

/** A stream that contains objects (7.5.7). `filters`: how it is encoded, null where that is not supported. */
interface ObjectStream {
  start: number;
  filters: readonly Filter[] | null;
}

/** The rest of the chunk, where it is long enough, is read already. */
async function readStream(file: SizedFile, at: number, start: number, chunk: Buffer): Promise<Buffer> {
  const end = Math.min(file.size, at + MAX_OBJECT_STREAM_BYTES);
  if (at >= start && end <= start + chunk.length) return chunk.subarray(at - start, end - start);
  return Buffer.from(await file.read(at, end));
}

/** A name, up to the length of the longest that counts with each letter escaped, or a keyword. */
const TOKEN = /\/([^\0\t\n\f\r ()<>[\]{}/%]{1,64})|(endstream|stream(?=[\r\n\t ])|endobj|\bobj\b)/g;
/** A token at the end of a chunk may be cut: it is read with the next one. */
const MAX_TOKEN_LENGTH = 80;

/**
 * Reads the names of a PDF chunk by chunk. Names count wherever they are, since the cross-reference table may place an
 * object anywhere; only the short `/JS` does not count within streams, whose bytes contain it by chance.
 */
function createScanner() {
  let names: Names = newNames();
  let isInStream = false;
  let scannedTo = 0;

  function* scan(start: number, chunk: Buffer, isLast: boolean): Generator<string | ObjectStream> {
    const text = chunk.toString('latin1');
    const limit = isLast ? text.length : text.length - MAX_TOKEN_LENGTH;
    TOKEN.lastIndex = Math.max(0, scannedTo - start);
    for (const match of text.matchAll(TOKEN)) {
      if (match.index >= limit) break;
      const [token, name, keyword] = match;
      scannedTo = start + match.index + token.length;
      if (name !== undefined) {
        const decoded = decodeName(name);
        const action = actionOf(decoded, text[match.index - 1], names.last());
        if (action !== null && !(isInStream && name === 'JS')) yield action;
        names.add(decoded);
      } else if (keyword === 'stream') {
        const at = scannedTo + leadingSpace(text, match.index + token.length);
        if (names.isObjectStream()) yield { start: at, filters: names.filters() };
        isInStream = true;
        names = newNames();
      } else {
        isInStream = false;
        if (keyword !== 'endstream') names = newNames();
      }
    }
    scannedTo = Math.max(scannedTo, start + limit);
  }
  return { scan };
}

/** Readers tolerate more than the one line end between `stream` and its bytes. */
function leadingSpace(text: string, at: number): number {
  let end = at;
  while (end < at + 8 && ' \t\r\n'.includes(text[end] ?? '-')) end += 1;
  return end - at;
}

const DELIMITER = /[\0\t\n\f\r ()<>[\]{}%]/;

/**
 * Returns the action that a name stands for. Other than `/JavaScript`, a name counts only as a value of `/S` or behind a
 * delimiter: `https://example.com/Launch` is none.
 */
function actionOf(name: string, before: string | undefined, previous: string | null): string | null {
  const action = ACTIONS.get(name) ?? null;
  const isName = before === undefined || DELIMITER.test(before) || previous === 'S';
  return name === 'JavaScript' || isName ? action : null;
}

/** Each character of a name may be written as its hexadecimal code (7.3.5). */
const decodeName = (name: string) =>
  name.replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

type Filter = 'flate' | 'hex' | 'ascii85';

const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ['FlateDecode', 'flate'],
  ['Fl', 'flate'],
  ['ASCIIHexDecode', 'hex'],
  ['AHx', 'hex'],
  ['ASCII85Decode', 'ascii85'],
  ['A85', 'ascii85'],
]);
/** With these, decoding differs from what is implemented here. */
const UNSUPPORTED = new Set([
  'LZWDecode',
  'LZW',
  'RunLengthDecode',
  'RL',
  'DCTDecode',
  'DCT',
  'CCITTFaxDecode',
  'CCF',
  'JBIG2Decode',
  'JPXDecode',
  'Crypt',
  'Predictor',
  'F',
  'FFilter',
]);

interface Names {
  last: () => string | null;
  add: (name: string) => void;
  /** `/N` and `/First` are required, `/Type /ObjStm` is not evaluated by every reader. */
  isObjectStream: () => boolean;
  filters: () => readonly Filter[] | null;
}

/** The names of one object, as far as they tell what its stream is. */
function newNames(): Names {
  const filters: Filter[] = [];
  let isSupported = true;
  let hasCount = false;
  let hasFirst = false;
  let hasType = false;
  let last: string | null = null;
  return {
    last: () => last,
    add: name => {
      last = name;
      const filter = FILTERS.get(name);
      if (filter) filters.push(filter);
      if (filters.length > MAX_FILTERS || UNSUPPORTED.has(name)) isSupported = false;
      hasCount ||= name === 'N';
      hasFirst ||= name === 'First';
      hasType ||= name === 'ObjStm';
    },
    isObjectStream: () => hasType || (hasCount && hasFirst),
    filters: () => (isSupported ? filters : null),
  };
}

const MAX_FILTERS = 4;

function findPackedAction(packed: Buffer, filters: readonly Filter[] | null, budget: Budget): string | null {
  if (filters === null) return UNREADABLE;
  try {
    const text = filters
      .reduce((bytes, filter) => DECODERS[filter](bytes, budget), packed)
      .toString('latin1');
    return actionIn(text);
  } catch {
    return UNREADABLE;
  }
}

function actionIn(text: string): string | null {
  let previous: string | null = null;
  for (const { index, 1: name } of text.matchAll(TOKEN)) {
    if (name === undefined) continue;
    const decoded = decodeName(name);
    const action = actionOf(decoded, text[index - 1], previous);
    if (action !== null) return action;
    previous = decoded;
  }
  return null;
}

/** Each throws for bytes that it cannot decode, and when the budget is exceeded. */
const DECODERS: Readonly<Record<Filter, (bytes: Buffer, budget: Budget) => Buffer>> = {
  flate: (bytes, budget) => {
    const maxOutputLength = Math.max(1, Math.min(MAX_OBJECT_STREAM_BYTES, budget.remaining()));
    // Charged first: a stream that exceeds its limit was unpacked up to it.
    budget.spend(MIN_STREAM_COST);
    const inflated = inflateSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
    budget.spend(inflated.length);
    return inflated;
  },
  hex: (bytes, budget) => {
    const digits = untilMarker(bytes, '>').replace(/[^0-9a-f]/gi, '');
    budget.spend(digits.length);
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
  },
  ascii85: (bytes, budget) => {
    const text = untilMarker(bytes, '~>').replace(/[^!-uz]/g, '');
    budget.spend(text.length);
    return decodeAscii85(text);
  },
};

function untilMarker(bytes: Buffer, marker: string): string {
  const end = bytes.indexOf(marker);
  if (end === -1) throw new Error('The end of the encoded data is missing');
  return bytes.toString('latin1', 0, end);
}

/** ASCII base-85 (7.4.3): five characters for four bytes, `z` for four zeros. */
function decodeAscii85(text: string): Buffer {
  const bytes: number[] = [];
  let group: number[] = [];
  const flush = (count: number) => {
    const padded = [...group, ...Array<number>(5 - group.length).fill(84)];
    const value = padded.reduce((sum, digit) => sum * 85 + digit, 0);
    for (let index = 0; index < count; index += 1) bytes.push(Math.floor(value / 256 ** (3 - index)) % 256);
    group = [];
  };
  for (const character of text) {
    if (character === 'z' && group.length === 0) bytes.push(0, 0, 0, 0);
    else group.push(character.charCodeAt(0) - 33);
    if (group.length === 5) flush(4);
  }
  if (group.length > 1) flush(group.length - 1);
  return Buffer.from(bytes);
}
