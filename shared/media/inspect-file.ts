import { factsOfType, type MediaFacts } from '../model/media.ts';
import { findPdfAction } from './integrity/pdf-actions.ts';
import { findTruncation } from './integrity/truncation.ts';
import { fileFromBytes, withReadBudget, ReadBudgetExceeded, type FileAccess } from './probe/file-access.ts';
import { HEAD_BYTES, identify, unsupported, type UnsupportedFile } from './probe/identify.ts';
import { imageHeader } from './probe/image-header.ts';
import { videoMetadata } from './probe/video-metadata.ts';

export type Inspection = { type: 'known'; facts: MediaFacts } | UnsupportedFile;

/** Camera metadata may push a JPEG's dimensions this far back. */
const LONG_HEAD_BYTES = 1024 * 1024;
/** Bytes that an inspection reads beyond the head at most. */
export const READ_BUDGET_BYTES = 12 * 1024 * 1024;

/**
 * Identifies a file by its bytes, never by its name, and reads its metadata. Nothing is decoded, and no more is read
 * than that takes. `truncationBudget`: bytes that may be read to find the end of the file. Throws what `read` throws.
 */
export async function inspectFile(
  file: FileAccess,
  truncationBudget = READ_BUDGET_BYTES,
): Promise<Inspection> {
  const head = await file.read(0, HEAD_BYTES);
  if (head.byteLength === 0) return unsupported('an empty file', 'The file is empty');
  const identity = await identify(head, file.declared_type);
  if (identity.type !== 'known') return identity;
  const { mime_type, format } = identity;
  const { size } = file;
  const truncation =
    size === null
      ? null
      : await findTruncation(format, { ...withReadBudget(file, head, truncationBudget), size });
  if (truncation !== null) return damaged(truncation);
  return readFacts(factsOfType(mime_type, format, size), head, withReadBudget(file, head, READ_BUDGET_BYTES));
}

/** Inspects a file that is in memory. */
export function inspectBytes(bytes: Uint8Array): Promise<Inspection> {
  return inspectFile(fileFromBytes(bytes));
}

async function readFacts(facts: MediaFacts, head: Uint8Array, file: FileAccess): Promise<Inspection> {
  try {
    if (facts.kind === 'image') return await inspectImage(facts, head, file);
    return facts.kind === 'video' ? await inspectVideo(facts, file) : await inspectDocument(facts, file);
  } catch (error) {
    if (error instanceof ReadBudgetExceeded) return { type: 'known', facts };
    throw error;
  }
}

async function inspectImage(facts: MediaFacts, head: Uint8Array, file: FileAccess): Promise<Inspection> {
  const isWhole = file.size === head.byteLength;
  const header = imageHeader(facts.format, head);
  if ((header.width !== null && header.animated !== null) || isWhole)
    return imageResult({ ...facts, ...header }, isWhole);
  const longHead = await file.read(0, Math.min(LONG_HEAD_BYTES, file.size ?? LONG_HEAD_BYTES));
  return imageResult({ ...facts, ...imageHeader(facts.format, longHead) }, longHead.byteLength === file.size);
}

function imageResult(facts: MediaFacts, isWhole: boolean): Inspection {
  return facts.width === null && isWhole
    ? damaged('it declares no width and height')
    : { type: 'known', facts };
}

async function inspectVideo(facts: MediaFacts, file: FileAccess): Promise<Inspection> {
  return { type: 'known', facts: { ...facts, ...(await videoMetadata(file)) } };
}

async function inspectDocument(facts: MediaFacts, file: FileAccess): Promise<Inspection> {
  const bytes = await file.read(0, Math.min(READ_BUDGET_BYTES, file.size ?? READ_BUDGET_BYTES));
  const action = findPdfAction(bytes);
  if (action === null) return { type: 'known', facts };
  return unsupported('a PDF with a script', `The file is a PDF with ${action}, which is not accepted`);
}

const damaged = (how: string): Inspection => unsupported('a damaged file', `The file is damaged: ${how}`);
