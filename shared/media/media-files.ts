import type { MediaFacts } from '../model/media.ts';
import type { HttpClient } from '../net/http.ts';
import type { FittedPicture, MediaFiles, UserFile } from '../platforms/contract/media-files.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import type { Draft, PlatformRules } from '../platforms/contract/rules.ts';
import type { Bucket } from '../store/objects.ts';
import { convertPicture } from './convert/convert-picture.ts';
import {
  ORIGINAL,
  publishDerived,
  readDerived,
  recipeName,
  storeDerived,
} from './convert/derived-pictures.ts';
import { mediaRejected, withHostErrors } from './fetch/host-errors.ts';
import { openRemoteFile } from './fetch/remote-file.ts';
import { downloadToScratch, writeToScratch, type ScratchFile } from './fetch/scratch-file.ts';
import { inspectBytes, inspectFile } from './inspect-file.ts';
import { coverProblems, fileProblems, groupProblems, wrongKind } from './limits/file-limits.ts';
import { MAX_CONVERTED_BYTES, pictureProblems, unmetNeeds } from './limits/picture-needs.ts';
import type { FileAccess } from './probe/file-access.ts';
import { publishFile } from './publish-file.ts';
import { readTextFile, type TextLimits } from './text-file.ts';

export interface MediaFilesOptions {
  /** The guarded client. */
  http: Pick<HttpClient, 'open'>;
  bucket: Bucket;
  rules: PlatformRules;
  draft: Draft;
}

/** Returns access to the media of one publish job. */
export function mediaFiles({ http, bucket, rules, draft }: MediaFilesOptions): MediaFiles {
  const maxBytes = (limit = MAX_CONVERTED_BYTES) => Math.min(limit, MAX_CONVERTED_BYTES);

  /** Throws for a file that violates a limit, naming its position in the post. */
  function assertWithinLimits(url: string, facts: MediaFacts): void {
    const { media_urls: urls } = draft;
    const files = urls.map(each => (each === url ? facts : null));
    const problems = [...fileProblems(rules, draft, facts), ...groupProblems(rules, draft, files)];
    if (problems.length === 0) return;
    const position = urls.length > 1 ? `File ${urls.indexOf(url) + 1} of ${urls.length}: ` : '';
    throw mediaRejected(position + problems.join('. '));
  }

  /** Downloads an image to the disk, because converting it reads it more than once. */
  async function openPicture(url: string, timeoutMs: number): Promise<UserFile> {
    const limits = { maxBytes: maxBytes(rules.files.image?.max_bytes), timeoutMs };
    const scratch = await downloadToScratch(http, url, limits);
    try {
      const facts = await inspectOrReject(scratch.access);
      assertWithinLimits(url, facts);
      return {
        facts,
        size: scratch.size,
        read: scratch.read,
        publicUrl: () =>
          publishFile(
            bucket,
            url,
            { size: scratch.size, version: scratch.sha256, read: scratch.read },
            facts,
          ),
        fitted: needs => fitPicture(bucket, scratch, facts, needs),
        close: scratch.remove,
      };
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  async function openStream(url: string, timeoutMs: number): Promise<UserFile> {
    const remote = await openRemoteFile(http, url, timeoutMs);
    try {
      const facts = await inspectOrReject(remote.access);
      assertWithinLimits(url, facts);
      return {
        facts,
        size: remote.size,
        read: remote.read,
        publicUrl: () => publishFile(bucket, url, remote, facts),
        fitted: () => Promise.reject(mediaRejected(wrongKind(facts, 'image'))),
        close: remote.close,
      };
    } catch (error) {
      await remote.close();
      throw error;
    }
  }

  async function cover(field: string, timeoutMs: number): Promise<FittedPicture | null> {
    const url = draft.options[field];
    const needs = rules.covers?.[field]?.needs;
    if (typeof url !== 'string' || !needs) return null;
    const limits = { maxBytes: maxBytes(rules.covers?.[field]?.limits.max_bytes), timeoutMs };
    return withScratch(await downloadToScratch(http, url, limits), async scratch => {
      const facts = await inspectOrReject(scratch.access);
      const problems = coverProblems(rules, field, facts);
      if (problems.length > 0) throw mediaRejected(`${field}: ${problems.join('. ')}`);
      return fitPicture(bucket, scratch, facts, needs);
    });
  }

  async function text(field: string, limits: TextLimits): Promise<string | null> {
    const url = draft.options[field];
    return typeof url === 'string' ? readTextFile(http, field, url, limits) : null;
  }

  async function fit(bytes: Uint8Array, needs: PictureNeeds): Promise<FittedPicture> {
    return withScratch(await writeToScratch(bytes), async scratch =>
      fitPicture(bucket, scratch, await inspectOrReject(scratch.access), needs),
    );
  }

  return {
    open: (url, timeoutMs) =>
      draft.post_type === 'image' ? openPicture(url, timeoutMs) : openStream(url, timeoutMs),
    cover,
    text,
    fit,
  };
}

/** Throws PlatformError `rejected` for a file that the service does not accept. */
async function inspectOrReject(access: FileAccess): Promise<MediaFacts> {
  const inspection = await withHostErrors(() => inspectFile(access));
  if (inspection.type === 'known') return inspection.facts;
  throw mediaRejected(inspection.message);
}

/** Returns an image unchanged where it meets the needs, else as it was converted before, else converted now. */
async function fitPicture(
  bucket: Bucket,
  { path, size, sha256, read }: ScratchFile,
  facts: MediaFacts,
  needs: PictureNeeds,
): Promise<FittedPicture> {
  const problems = facts.kind === 'image' ? pictureProblems(needs, facts) : [wrongKind(facts, 'image')];
  if (problems.length > 0) throw mediaRejected(problems.join('. '));
  const keepsAnimation = facts.animated === true && needs.animation === 'kept';
  if (keepsAnimation || unmetNeeds(needs, facts).length === 0) {
    const picture = { bytes: await read(0, size), type: facts.type };
    return fittedPicture(bucket, sha256, ORIGINAL, picture, facts);
  }
  const recipe = recipeName(needs);
  const stored = await readDerived(bucket, sha256, recipe);
  const picture = stored ?? (await convertPicture(path, needs));
  if (!stored) await storeDerived(bucket, sha256, recipe, picture);
  return fittedPicture(bucket, sha256, recipe, picture, await derivedFacts(picture.bytes));
}

async function derivedFacts(bytes: Buffer): Promise<MediaFacts> {
  const inspection = await inspectBytes(bytes);
  if (inspection.type === 'known') return inspection.facts;
  throw new Error('A stored conversion is not an image');
}

function fittedPicture(
  bucket: Bucket,
  sha256: string,
  recipe: string,
  picture: { bytes: Buffer; type: string },
  { width, height, animated }: Pick<MediaFacts, 'width' | 'height' | 'animated'>,
): FittedPicture {
  if (width === null || height === null) throw mediaRejected('The image declares no width and height');
  return {
    ...picture,
    type: picture.type === 'image/apng' ? 'image/png' : picture.type,
    width,
    height,
    animated: animated === true,
    publicUrl: () => publishDerived(bucket, sha256, recipe, picture),
  };
}

async function withScratch<T>(scratch: ScratchFile, work: (scratch: ScratchFile) => Promise<T>): Promise<T> {
  try {
    return await work(scratch);
  } finally {
    await scratch.remove();
  }
}
