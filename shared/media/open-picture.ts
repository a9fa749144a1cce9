import type { MediaFacts } from '../model/media.ts';
import { mediaRejected, withHostErrors } from './fetch/host-errors.ts';
import type { ScratchFile } from './fetch/scratch-file.ts';
import { inspectFile } from './inspect-file.ts';
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
    return { facts, scratch: source, isStripped: false };
  } catch (error) {
    await source.remove();
    throw error;
  }
}

/** Throws PlatformError `rejected` for a file that the service does not accept. */
export async function inspectOrReject(access: FileAccess, limits?: BudgetLimits): Promise<MediaFacts> {
  const inspection = await withHostErrors(() => inspectFile(access, limits));
  if (inspection.type === 'known') return inspection.facts;
  throw mediaRejected(inspection.message);
}
