import type { MediaFacts, MediaFormat } from '../model/media.ts';
import type { RemoteFile } from './fetch/remote-file.ts';
import { blank, findIsoMetadata, type BlankBox } from './metadata/iso-metadata.ts';
import { BudgetExceeded, createBudget, QUICK } from './probe/budget.ts';
import { withBudget } from './probe/file-access.ts';

const ISO_MEDIA: ReadonlySet<MediaFormat> = new Set(['MP4', 'MOV', '3GP']);

/** Returns a video without the metadata of its camera, and any other file as it is. Its size does not change. */
export async function withoutCameraData(remote: RemoteFile, { format }: MediaFacts): Promise<RemoteFile> {
  if (!ISO_MEDIA.has(format)) return remote;
  const boxes = await metadataOf(remote);
  if (boxes.length === 0) return remote;
  return {
    ...remote,
    version: remote.version === null ? null : `${remote.version} without metadata`,
    read: async (start, length) => blank(await remote.read(start, length), start, boxes),
  };
}

/** Nothing where the index is too expensive to read. */
async function metadataOf({ access, size }: RemoteFile): Promise<BlankBox[]> {
  try {
    return await findIsoMetadata(withBudget({ ...access, size }, new Uint8Array(), createBudget(QUICK)));
  } catch (error) {
    if (error instanceof BudgetExceeded) return [];
    throw error;
  }
}
