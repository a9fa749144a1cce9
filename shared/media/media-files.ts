import { FILE_OF_FORMAT, type MediaFacts } from '../model/media.ts';
import type { HttpClient } from '../net/http.ts';
import type { FittedPicture, MediaFiles, SentAs, UserFile } from '../platforms/contract/media-files.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import type { Draft, PlatformRules } from '../platforms/contract/rules.ts';
import type { Bucket } from '../store/objects.ts';
import { convertPicture } from './convert/convert-picture.ts';
import {
  publishDerived,
  readDerived,
  recipeName,
  storeDerived,
  UNCONVERTED,
} from './convert/derived-pictures.ts';
import { mediaRejected } from './fetch/host-errors.ts';
import { openRemoteFile } from './fetch/remote-file.ts';
import { downloadToScratch, writeToScratch, type ScratchFile } from './fetch/scratch-file.ts';
import { inspectBytes } from './inspect-file.ts';
import { decideCover, decideFile, groupProblems } from './limits/file-decision.ts';
import { wrongKind } from './limits/file-limits.ts';
import { decidePicture, MAX_CONVERTED_BYTES } from './limits/picture-needs.ts';
import { inspectOrReject, openPicture, type OpenPicture } from './open-picture.ts';
import { withoutCameraData } from './open-video.ts';
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

  /** Facts of the files that were opened so far. */
  const known = new Map<string, MediaFacts>();

  /** Decides how a file is sent. Throws for one that is refused, naming its position in the post. */
  function decide(url: string, facts: MediaFacts): SentAs {
    const { media_urls: urls } = draft;
    known.set(url, facts);
    const files = urls.map(each => known.get(each) ?? null);
    const { sent_as, problems: own } = decideFile(rules, draft, facts);
    const problems = [...own, ...groupProblems(rules, draft, files)];
    if (problems.length === 0) return sent_as;
    const position = urls.length > 1 ? `File ${urls.indexOf(url) + 1} of ${urls.length}: ` : '';
    throw mediaRejected(position + problems.join('. '));
  }

  /** Downloads an image to the disk, because converting it reads it more than once. */
  async function openImage(url: string, timeoutMs: number): Promise<UserFile> {
    const limits = { maxBytes: maxBytes(rules.files.image?.max_bytes), timeoutMs };
    const picture = await openPicture(await downloadToScratch(http, url, limits));
    const { facts, scratch } = picture;
    try {
      return {
        facts,
        sent_as: decide(url, facts),
        size: scratch.size,
        read: scratch.read,
        publicUrl: () => publishPicture(bucket, url, picture),
        fitted: needs => fitPicture(bucket, picture, needs),
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
      const sent_as = decide(url, facts);
      const file = await withoutCameraData(remote, facts);
      return {
        facts,
        sent_as,
        size: file.size,
        read: file.read,
        publicUrl: () => publishFile(bucket, url, file, facts),
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
    return withPicture(await downloadToScratch(http, url, limits), async picture => {
      const { problems } = decideCover(rules, field, picture.facts);
      if (problems.length > 0) throw mediaRejected(`${field}: ${problems.join('. ')}`);
      return fitPicture(bucket, picture, needs);
    });
  }

  async function text(field: string, limits: TextLimits): Promise<string | null> {
    const url = draft.options[field];
    return typeof url === 'string' ? readTextFile(http, field, url, limits) : null;
  }

  async function fit(bytes: Uint8Array, needs: PictureNeeds): Promise<FittedPicture> {
    return withPicture(await writeToScratch([bytes]), picture => fitPicture(bucket, picture, needs));
  }

  return {
    open: (url, timeoutMs) =>
      draft.post_type === 'image' ? openImage(url, timeoutMs) : openStream(url, timeoutMs),
    cover,
    text,
    fit,
  };
}

/** Returns a URL in the bucket of an image as it was sent, without its metadata. */
async function publishPicture(
  bucket: Bucket,
  url: string,
  { scratch, facts, isStripped }: OpenPicture,
): Promise<string> {
  const { size, sha256, read } = scratch;
  if (!isStripped) return publishFile(bucket, url, { size, version: sha256, read }, facts);
  const { type } = FILE_OF_FORMAT[facts.format];
  return publishDerived(bucket, sha256, UNCONVERTED, { bytes: await read(0, size), type });
}

/** Returns an image unchanged where it meets the needs, else as it was converted before, else converted now. */
async function fitPicture(
  bucket: Bucket,
  { scratch, facts }: OpenPicture,
  needs: PictureNeeds,
): Promise<FittedPicture> {
  const { path, size, sha256, read } = scratch;
  if (facts.kind !== 'image') throw mediaRejected(wrongKind(facts, 'image'));
  const { problems, sent_as, changes } = decidePicture(needs, facts);
  if (problems.length > 0) throw mediaRejected(problems.join('. '));
  if (sent_as === 'file') throw mediaRejected(changes.join('. '));
  if (sent_as === 'unchanged') {
    const picture = { bytes: await read(0, size), type: facts.type };
    return fittedPicture(bucket, sha256, UNCONVERTED, picture, facts);
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

async function withPicture<T>(source: ScratchFile, work: (picture: OpenPicture) => Promise<T>): Promise<T> {
  const picture = await openPicture(source);
  try {
    return await work(picture);
  } finally {
    await picture.scratch.remove();
  }
}
