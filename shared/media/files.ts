import type { MediaFacts } from '../model/media.ts';
import type { HttpClient } from '../net/http.ts';
import type { FittedPicture, MediaFiles, UserFile } from '../platforms/contract/media-files.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import type { Draft, PlatformRules } from '../platforms/contract/rules.ts';
import type { Bucket } from '../store/objects.ts';
import type { FileAccess } from './access.ts';
import { makePicture } from './convert.ts';
import { AS_IT_IS, keepDerived, publishDerived, readDerived, recipeName } from './derived.ts';
import { MAX_PICTURE_BYTES, pictureFaults, unmetNeeds } from './fit.ts';
import { faultsOfCover, faultsOfFile, faultsTogether } from './limits.ts';
import { inspect, inspectBytes } from './inspect.ts';
import { openOrigin } from './origin.ts';
import { fromHost, mediaRejected } from './refusal.ts';
import { fetchToScratch, toScratch, type Scratch } from './scratch.ts';

export interface FilesOptions {
  /** The guarded client. */
  http: Pick<HttpClient, 'open'>;
  bucket: Bucket;
  rules: PlatformRules;
  draft: Draft;
}

/** The media of one job. */
export function mediaFiles({ http, bucket, rules, draft }: FilesOptions): MediaFiles {
  const mostBytes = (limit = MAX_PICTURE_BYTES) => Math.min(limit, MAX_PICTURE_BYTES);

  /** Refuses what breaks a limit, by the place of the file in the post. */
  function assertWithin(url: string, facts: MediaFacts): void {
    const { media_urls: urls } = draft;
    const others = urls.map(each => (each === url ? facts : null));
    const faults = [...faultsOfFile(rules, draft, facts), ...faultsTogether(rules, draft, others)];
    if (faults.length === 0) return;
    const place = urls.length > 1 ? `File ${urls.indexOf(url) + 1} of ${urls.length}: ` : '';
    throw mediaRejected(place + faults.join('. '));
  }

  /** A picture lies on the disk: it may have to be made anew, which reads it more than once. */
  async function openPicture(url: string, timeoutMs: number): Promise<UserFile> {
    const maxBytes = mostBytes(rules.files.image?.max_bytes);
    const scratch = await fetchToScratch(http, url, { maxBytes, timeoutMs });
    return closingOnFailure(scratch, async () => {
      const facts = await known(scratch.access);
      assertWithin(url, facts);
      return {
        facts,
        size: scratch.size,
        read: scratch.read,
        fitted: needs => fitted(bucket, scratch, facts, needs),
        close: scratch.remove,
      };
    });
  }

  async function openStream(url: string, timeoutMs: number): Promise<UserFile> {
    const origin = await openOrigin(http, url, timeoutMs);
    try {
      const facts = await known(origin.access);
      assertWithin(url, facts);
      return {
        facts,
        size: origin.size,
        read: origin.read,
        fitted: () => Promise.reject(mediaRejected(`Is ${facts.format}, which is no image`)),
        close: origin.close,
      };
    } catch (error) {
      await origin.close();
      throw error;
    }
  }

  async function cover(field: string, timeoutMs: number): Promise<FittedPicture | null> {
    const url = draft.options[field];
    const needs = rules.covers?.[field]?.needs;
    if (typeof url !== 'string' || !needs) return null;
    const maxBytes = mostBytes(rules.covers?.[field]?.limits.max_bytes);
    const scratch = await fetchToScratch(http, url, { maxBytes, timeoutMs });
    return removed(scratch, async () => {
      const facts = await known(scratch.access);
      const faults = faultsOfCover(rules, field, facts);
      if (faults.length > 0) throw mediaRejected(`${field}: ${faults.join('. ')}`);
      return fitted(bucket, scratch, facts, needs);
    });
  }

  async function fit(bytes: Uint8Array, needs: PictureNeeds): Promise<FittedPicture> {
    const scratch = await toScratch(bytes);
    return removed(scratch, async () => fitted(bucket, scratch, await known(scratch.access), needs));
  }

  return {
    open: (url, timeoutMs) =>
      draft.post_type === 'image' ? openPicture(url, timeoutMs) : openStream(url, timeoutMs),
    cover,
    fit,
  };
}

/** Throws PlatformError `rejected` for what the service does not take. */
async function known(access: FileAccess): Promise<MediaFacts> {
  const look = await fromHost(() => inspect(access));
  if (look.type === 'known') return look.facts;
  throw mediaRejected(look.message);
}

/** As it is where it fits, as it was made before, or made anew now. */
async function fitted(
  bucket: Bucket,
  { path, size, sha256, read }: Scratch,
  facts: MediaFacts,
  needs: PictureNeeds,
): Promise<FittedPicture> {
  const faults =
    facts.kind === 'image' ? pictureFaults(needs, facts) : [`Is ${facts.format}, which is no image`];
  if (faults.length > 0) throw mediaRejected(faults.join('. '));
  const moves = facts.animated === true && needs.animation === 'kept';
  if (moves || unmetNeeds(needs, facts).length === 0) {
    const picture = { bytes: await read(0, size), type: facts.type };
    return described(bucket, sha256, AS_IT_IS, picture, facts);
  }
  const recipe = recipeName(needs);
  const kept = await readDerived(bucket, sha256, recipe);
  const picture = kept ?? (await makePicture(path, needs));
  if (!kept) await keepDerived(bucket, sha256, recipe, picture);
  return described(bucket, sha256, recipe, picture, await factsOf(picture.bytes));
}

async function factsOf(bytes: Buffer): Promise<MediaFacts> {
  const look = await inspectBytes(bytes);
  if (look.type === 'known') return look.facts;
  throw new Error('What was stored is no picture');
}

function described(
  bucket: Bucket,
  sha256: string,
  recipe: string,
  picture: { bytes: Buffer; type: string },
  { width, height, animated }: Pick<MediaFacts, 'width' | 'height' | 'animated'>,
): FittedPicture {
  if (width === null || height === null) throw mediaRejected('Its width and height cannot be told');
  return {
    ...picture,
    type: picture.type === 'image/apng' ? 'image/png' : picture.type,
    width,
    height,
    animated: animated === true,
    publicUrl: () => publishDerived(bucket, sha256, recipe, picture),
  };
}

async function removed<T>(scratch: Scratch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await scratch.remove();
  }
}

async function closingOnFailure<T>(scratch: Scratch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}
