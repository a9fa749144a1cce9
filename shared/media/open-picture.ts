import type { MediaFacts } from '../model/media.ts';
import { mediaRejected, withHostErrors } from './fetch/host-errors.ts';
import { writeToScratch, type ScratchFile } from './fetch/scratch-file.ts';
import { inspectFile } from './inspect-file.ts';
import { withoutMetadata } from './metadata/strip-metadata.ts';
import { LOCAL, type BudgetLimits } from './probe/budget.ts';
import type { FileAccess } from './probe/file-access.ts';

/** An image on the disk, without the metadata of its camera. */
export interface OpenPicture {
  /** What is known about the file as it was sent, so that every check says the same. */
  facts: MediaFacts;
  scratch: ScratchFile;
  /** Whether the file differs from the one that was sent. */
  isStripped: boolean;
}

/**
 * Inspects an image and removes its metadata. Takes over `source`, which is removed where this throws PlatformError
 * `rejected`.
 */
export async function openPicture(source: ScratchFile): Promise<OpenPicture> {
  try {
    const facts = await inspectOrReject(source.access, LOCAL);
    const pieces = facts.kind === 'image' ? await withoutCameraData(source, facts) : null;
    if (!pieces) return { facts, scratch: source, isStripped: false };
    // Before the copy is written: the disk has no room for two of the largest images.
    await source.remove();
    return { facts, scratch: await writeToScratch(pieces), isStripped: true };
  } catch (error) {
    await source.remove();
    throw error;
  }
}

/** Returns the pieces of the image without its metadata; null where it has none. */
async function withoutCameraData(
  { size, read }: ScratchFile,
  { format }: MediaFacts,
): Promise<readonly Buffer[] | null> {
  const bytes = await read(0, size);
  const pieces = withoutMetadata(format, bytes);
  if (!pieces) throw mediaRejected(`The structure of the ${format} cannot be read`);
  return isSame(bytes, pieces) ? null : pieces;
}

function isSame(bytes: Buffer, pieces: readonly Buffer[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!bytes.subarray(at, at + piece.length).equals(piece)) return false;
    at += piece.length;
  }
  return at === bytes.length;
}

/** Throws PlatformError `rejected` for a file that the service does not accept. */
export async function inspectOrReject(access: FileAccess, limits?: BudgetLimits): Promise<MediaFacts> {
  const inspection = await withHostErrors(() => inspectFile(access, limits));
  if (inspection.type === 'known') return inspection.facts;
  throw mediaRejected(inspection.message);
}
