import { hashUrl, type MediaCopy } from '../../model/copy.ts';
import { isSettled } from '../../model/destination.ts';
import type { MediaFormat, MediaKind } from '../../model/media.ts';
import { destinationsOf, statusOf, type Post } from '../../model/post.ts';
import { newTransfer, type Transfer } from '../../model/transfer.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';
import {
  copiesOfPost,
  createCopy,
  deleteCopy,
  getCopy,
  replaceCopy,
  type CopyRef,
} from '../../store/copies.ts';
import { COPIES, deleteObject, keyOfUrl, MEDIA, publicUrlOf } from '../../store/objects.ts';
import { getPost } from '../../store/posts.ts';
import { DAY } from '../../time/instant.ts';
import { startMediaWork } from '../work.ts';
import { copyFile, releaseStored, tryReserve } from '../storage-allowance.ts';
import {
  backoffAfter,
  LeaseLost,
  newLease,
  randomKey,
  SWEEP_GRACE_MS,
  type MediaRun,
} from '../transfer/media-run.ts';
import { abandonTransfer, runTransfer, type TransferResult } from '../transfer/run-transfer.ts';
import { maxBytesOf, mediaUrlsOf, withMediaUrls } from './post-media.ts';

/** How long copies are kept after their post was due or published: platforms may still fetch them. */
const KEPT_AFTER_DUE_MS = 1 * DAY;
/** How long copies of a failed post are kept, which may be retried. */
const KEPT_AFTER_FAILURE_MS = 7 * DAY;

/** Only a post that waits may outlive its links. */
const isWaiting = ({ scheduling, post_type }: Post) => scheduling !== 'immediate' && post_type !== 'text';

/** Tells whether a URL leads to a confirmed upload in the bucket, which needs no copy. */
export const isStoredMedia = ({ bucket }: Pick<Services, 'bucket'>, url: string) =>
  keyOfUrl(bucket, url)?.startsWith(MEDIA) === true;

/**
 * Stores which files of a waiting post are to be copied. Called before the post itself is stored: a crash in between
 * leaves copies without a post, which are removed later, rather than a post without its copies. Never throws: without
 * copies the post is published from its original URLs.
 */
export async function planCopies(services: Services, post: Post): Promise<void> {
  if (!isWaiting(post)) return;
  const wake_at = services.now() + SWEEP_GRACE_MS;
  try {
    await Promise.all(
      (await urlsToCopy(services, post)).map(url => createCopy(services.table, newCopy(post, url, wake_at))),
    );
  } catch (error) {
    log.warn('Could not plan the copies of media', {
      post_id: post.post_id,
      ...describeError(error),
    });
  }
}

const urlsToCopy = async (services: Services, post: Post) =>
  (await mediaUrlsOf(post)).filter(url => !isStoredMedia(services, url));

function newCopy({ workspace_id, post_id }: Post, url: string, wake_at: number): MediaCopy {
  return {
    workspace_id,
    post_id,
    url_hash: hashUrl(url),
    url,
    status: 'waiting',
    transfer: newTransfer(url),
    error: null,
    lease_until: 0,
    revision: 1,
    wake_at,
  };
}

/** Requests the copies of a stored post. The sweeper requests what was lost. */
export async function startCopies(services: Services, post: Post): Promise<void> {
  if (!isWaiting(post)) return;
  const { workspace_id, post_id } = post;
  try {
    await Promise.all(
      (await urlsToCopy(services, post)).map(url =>
        startMediaWork(services, { kind: 'copy', workspace_id, post_id, url_hash: hashUrl(url) }),
      ),
    );
  } catch (error) {
    log.warn('Could not request the copies of media; the sweeper will', {
      post_id,
      ...describeError(error),
    });
  }
}

/** Requests the removal of the copies of a deleted or cancelled post. */
export async function releaseCopies(services: Services, post: Post): Promise<void> {
  await startCopies(services, post);
}

/** Returns the post as it is published: its URLs are replaced by those of the copies that exist. */
export async function withCopiedMedia(services: Services, post: Post): Promise<Post> {
  const mayHaveCopies = isWaiting(post) || (post.version > 1 && post.post_type !== 'text');
  if (!mayHaveCopies) return post;
  const copies = await copiesOfPost(services.table, post.workspace_id, post.post_id);
  const ready = new Map(
    copies.flatMap(({ status, url, transfer: { key } }) =>
      status === 'ready' && key !== null ? [[url, publicUrlOf(services.bucket, key)]] : [],
    ),
  );
  return ready.size === 0 ? post : withMediaUrls(post, url => ready.get(url) ?? url);
}

/** Makes a copy, keeps it as long as its post needs it, then removes it. */
export async function processCopy(run: MediaRun, ref: CopyRef): Promise<void> {
  const { table, now } = run.services;
  const copy = await getCopy(table, ref);
  if (!copy || copy.lease_until > now()) return;
  const post = await getPost(table, ref.workspace_id, ref.post_id);
  const until = post && (await mediaUrlsOf(post)).includes(copy.url) ? neededUntil(post, now()) : null;
  if (until === null || until <= now()) return removeCopy(run.services, copy);
  if (copy.status === 'waiting' && post && !destinationsOf(post).every(isSettled))
    return transferCopy(run, copy, { until, maxBytes: await maxBytesOf(post, copy.url) });
  await replaceCopy(table, copy, { ...copy, wake_at: until });
}

/** Returns until when a post needs its files, or when to check again at the latest; null for a cancelled post. */
function neededUntil(post: Post, now: number): number | null {
  if (statusOf(post) === 'cancelled') return null;
  const destinations = destinationsOf(post);
  if (!destinations.every(isSettled)) return Math.max(post.due_at, now) + KEPT_AFTER_DUE_MS;
  const lastChange = Math.max(...destinations.map(({ changed_at }) => changed_at));
  const hasFailed = destinations.some(({ status }) => status === 'failed');
  return lastChange + (hasFailed ? KEPT_AFTER_FAILURE_MS : KEPT_AFTER_DUE_MS);
}

/** The item goes last: an interrupted removal is continued by the sweeper. */
async function removeCopy(services: Services, copy: MediaCopy): Promise<void> {
  await abandonTransfer({ bucket: services.bucket, transfer: copy.transfer });
  await releaseStored(services, copyFile(copy));
  await deleteCopy(services.table, copy);
}

interface CopyNeeds {
  /** How long the post needs the file. */
  until: number;
  maxBytes: Record<MediaKind, number>;
}

async function transferCopy(run: MediaRun, copy: MediaCopy, { until, maxBytes }: CopyNeeds): Promise<void> {
  const { table, bucket } = run.services;
  let leased = await replaceCopy(table, copy, { ...copy, ...newLease(run) });
  if (!leased) return;
  const save = async (transfer: Transfer) => {
    if (!leased) throw new LeaseLost();
    leased = await replaceCopy(table, leased, { ...leased, transfer });
    if (!leased) throw new LeaseLost();
  };
  try {
    const newKey = (format: MediaFormat) => randomKey(COPIES, format);
    const result = await runTransfer({ ...run, bucket, newKey, save, maxBytes }, copy.transfer);
    await storeResult(run.services, leased, await withinAllowance(run.services, leased, result), until);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/** A copy that exceeds the storage of the plan is deleted: its post is published from the original URL. */
async function withinAllowance(
  services: Services,
  copy: MediaCopy,
  result: TransferResult,
): Promise<TransferResult> {
  if (result.type !== 'done' || (await tryReserve(services, copyFile(copy), result.size))) return result;
  await deleteObject(services.bucket, result.key);
  const message = 'The copy exceeds the storage limit of the plan';
  return { type: 'failed', transfer: result.transfer, message };
}

async function storeResult(
  services: Services,
  leased: MediaCopy,
  result: TransferResult,
  until: number,
): Promise<void> {
  const after: MediaCopy = { ...leased, transfer: result.transfer, lease_until: 0, wake_at: until };
  if (result.type === 'done') {
    const { key, format } = result;
    const transfer = { ...result.transfer, key, format, s3_upload_id: null };
    if (await replaceCopy(services.table, leased, { ...after, status: 'ready', transfer })) return;
    return discardUnlessKept(services, leased, transfer);
  }
  if (result.type === 'failed') {
    await replaceCopy(services.table, leased, { ...after, status: 'failed', error: result.message });
    return;
  }
  const wake_at = services.now() + backoffAfter(result.transfer.failures);
  await replaceCopy(services.table, leased, { ...after, wake_at });
}

/** Discards the file of a run that lost its lease, unless the worker that has it now keeps the same object. */
async function discardUnlessKept(services: Services, ref: CopyRef, transfer: Transfer): Promise<void> {
  const copy = await getCopy(services.table, ref);
  if (copy?.transfer.key === transfer.key) return;
  await abandonTransfer({ bucket: services.bucket, transfer });
  if (!copy) await releaseStored(services, copyFile(ref));
}
