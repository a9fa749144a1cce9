import { factsOfType, type MediaFacts } from '../model/media.ts';
import { findPdfAction } from './integrity/pdf-actions.ts';
import { findTruncation } from './integrity/truncation.ts';
import { BudgetExceeded, createBudget, QUICK } from './probe/budget.ts';
import { fileFromBytes, withBudget, type FileAccess, type SizedFile } from './probe/file-access.ts';
import { countFrames } from './probe/frames.ts';
import { HEAD_BYTES } from './probe/head-bytes.ts';
import { unsupported, type UnsupportedFile } from './probe/unsupported.ts';

export type Inspection = { type: 'known'; facts: MediaFacts } | UnsupportedFile;

const readers = () => import('./probe/readers.ts');

/** Camera metadata may push a JPEG's dimensions this far back. */
const LONG_HEAD_BYTES = 1024 * 1024;

/**
 * Identifies a file by its bytes, never by its name, reads its metadata and tells whether it is truncated. No pixels are
 * decoded. What the budget does not suffice for stays unknown. Throws what `read` throws.
 */
export async function inspectFile(file: FileAccess, limits = QUICK): Promise<Inspection> {
  const head = await file.read(0, HEAD_BYTES);
  if (head.byteLength === 0) return unsupported('an empty file', 'The file is empty');
  const { identify } = await readers();
  const identity = await identify(head, file.declared_type);
  if (identity.type !== 'known') return identity;
  const { mime_type, format } = identity;
  const { size } = file;
  const facts = factsOfType(mime_type, format, size);
  const limited = withBudget(file, head, createBudget(limits));
  const inspection = await readFacts(facts, head, limited);
  if (size === null) return inspection;
  const truncation = await affordable(() => findTruncation(format, { ...limited, size }));
  return truncation === null ? inspection : damaged(truncation);
}

/** Inspects a file that is in memory. */
export function inspectBytes(bytes: Uint8Array): Promise<Inspection> {
  return inspectFile(fileFromBytes(bytes));
}

async function readFacts(facts: MediaFacts, head: Uint8Array, file: FileAccess): Promise<Inspection> {
  if (facts.kind === 'image') return inspectImage(facts, head, file);
  return facts.kind === 'video' ? inspectVideo(facts, file) : inspectDocument(facts, file);
}

async function inspectImage(facts: MediaFacts, head: Uint8Array, file: FileAccess): Promise<Inspection> {
  const longHead = await affordable(() => readLongHead(facts, head, file));
  const bytes = longHead ?? head;
  const { imageHeader } = await readers();
  const header = imageHeader(facts.format, bytes);
  const whole = sized(file);
  const frames = await countFrames(facts.format, whole ?? fileFromBytes(bytes), whole !== null);
  return header.width === null && bytes.byteLength === file.size
    ? damaged('it declares no width and height')
    : { type: 'known', facts: { ...facts, ...header, ...frames } };
}

/** Returns more of an image whose first bytes do not say everything; null where they do. */
async function readLongHead(
  { format }: MediaFacts,
  head: Uint8Array,
  file: FileAccess,
): Promise<Uint8Array | null> {
  const { imageHeader } = await readers();
  const { width, animated } = imageHeader(format, head);
  if ((width !== null && animated !== null) || file.size === head.byteLength) return null;
  return file.read(0, Math.min(LONG_HEAD_BYTES, file.size ?? LONG_HEAD_BYTES));
}

async function inspectVideo(facts: MediaFacts, file: FileAccess): Promise<Inspection> {
  const { videoMetadata } = await readers();
  return { type: 'known', facts: { ...facts, ...(await videoMetadata(file)) } };
}

async function inspectDocument(facts: MediaFacts, file: FileAccess): Promise<Inspection> {
  const document = sized(file);
  const action = document && (await affordable(() => findPdfAction(document)));
  if (action === null) return { type: 'known', facts };
  return unsupported('a PDF with a script', `The file is a PDF with ${action}, which is not accepted`);
}

function sized(file: FileAccess): SizedFile | null {
  return file.size === null ? null : { ...file, size: file.size };
}

/** Returns null where the budget does not suffice. */
async function affordable<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}

const damaged = (how: string): Inspection => unsupported('a damaged file', `The file is damaged: ${how}`);
