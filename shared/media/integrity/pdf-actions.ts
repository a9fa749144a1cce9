import { inflateSync } from 'node:zlib';

/** Names of what a document does by itself (ISO 32000-1, 12.6.4). */
const ACTIONS: readonly { name: RegExp; what: string }[] = [
  { name: named('JavaScript'), what: 'a script' },
  { name: named('JS'), what: 'a script' },
  { name: named('Launch'), what: 'an order to start a program' },
];

/** A name as it may be written: each of its letters by itself or by its number (`/J#53` is `/JS`). */
function named(name: string): RegExp {
  const letters = Array.from(name, letter => `(?:${letter}|#${letter.charCodeAt(0).toString(16)})`);
  return new RegExp(`/${letters.join('')}(?![A-Za-z0-9#])`, 'i');
}

/** Most that one compressed object may grow to, and all of them together. */
const MAX_STREAM_BYTES = 4 * 1024 * 1024;
const MAX_INFLATED_BYTES = 32 * 1024 * 1024;

/** What a PDF does beside being read, as far as its bytes show; null for a document that lies still. */
export function findPdfAction(pdf: Uint8Array): string | null {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1');
  const found = actionIn(text);
  if (found !== null) return found;
  for (const inner of objectStreams(pdf, text)) {
    const hidden = actionIn(inner);
    if (hidden !== null) return hidden;
  }
  return null;
}

function actionIn(text: string): string | null {
  return ACTIONS.find(({ name }) => name.test(text))?.what ?? null;
}

/** Objects may lie packed in streams of type `ObjStm` (7.5.7). */
function* objectStreams(pdf: Uint8Array, text: string): Generator<string> {
  let left = MAX_INFLATED_BYTES;
  for (const { index, 0: opening } of text.matchAll(/\/ObjStm\b[^]{0,300}?stream\r?\n/g)) {
    if (left <= 0) return;
    const inner = inflated(pdf.subarray(index + opening.length));
    left -= inner.length;
    yield inner;
  }
}

function inflated(bytes: Uint8Array): string {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES }).toString('latin1');
  } catch {
    return '';
  }
}
