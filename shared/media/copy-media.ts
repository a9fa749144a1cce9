import { fileKeyOf, type MediaCopy } from '../model/copy.ts';
import { isSettled } from '../model/destination.ts';
import type { MediaFormat } from '../model/media.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { newTransfer, type Transfer } from '../model/transfer.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { copiesOfPost, createCopy, deleteCopy, getCopy, replaceCopy, type CopyRef } from '../store/copies.ts';
import { COPIES, keyOfUrl, MEDIA, publicUrlOf } from '../store/objects.ts';
import { getPost } from '../store/posts.ts';
import { DAY } from '../time/instant.ts';
import { sendMediaMessage } from './messages.ts';
import { mediaUrlsOf, withMediaUrls } from './post-media.ts';
import { randomKey, GRACE_MS, leaseOf, LeaseLost, waitAfter, type MediaRun } from './run.ts';
import { abandonTransfer, runTransfer, type TransferResult } from './transfer.ts';

/** A copy is looked after this long after its post was due: until then platforms may still come for it. */
const AFTER_DUE_MS = 1 * DAY;
/** A failed post may be tried again; so long its files are there. */
const AFTER_FAILURE_MS = 7 * DAY;

/** Only a post that waits may outlive its links. */
const waits = ({ scheduling, post_type }: Post) => scheduling !== 'immediate' && post_type !== 'text';

/** Whether a file lies in the bucket for good: it needs no copy. */
export const isKept = ({ bucket }: Pick<Services, 'bucket'>, url: string) =>
  keyOfUrl(bucket, url)?.startsWith(MEDIA) === true;

/**
 * Notes which files of a waiting post are to be copied. Before the post itself is stored, so that a crash in between
 * leaves notes without a post, which are swept away, and not a post without its copies. Never throws: without a copy
 * the post goes out with its links as they are.
 */
export async function planCopies(services: Services, post: Post): Promise<void> {
  if (!waits(post)) return;
  const urls = mediaUrlsOf(post).filter(url => !isKept(services, url));
  const wake_at = services.now() + GRACE_MS;
  try {
    await Promise.all(urls.map(url => createCopy(services.table, newCopy(post, url, wake_at))));
  } catch (error) {
    log.warn('Media of a post are not copied', { post_id: post.post_id, ...describeError(error) });
  }
}

function newCopy({ workspace_id, post_id }: Post, url: string, wake_at: number): MediaCopy {
  return {
    workspace_id,
    post_id,
    file_key: fileKeyOf(url),
    url,
    status: 'waiting',
    transfer: newTransfer(url),
    error: null,
    lease_until: 0,
    revision: 1,
    wake_at,
  };
}

/** Has the copies of a stored post made now. Should a note be lost, the sweeper sends another. */
export async function startCopies(services: Services, post: Post): Promise<void> {
  if (!waits(post)) return;
  const urls = mediaUrlsOf(post).filter(url => !isKept(services, url));
  const { workspace_id, post_id } = post;
  try {
    await Promise.all(
      urls.map(url =>
        sendMediaMessage(services, { kind: 'copy', workspace_id, post_id, file_key: fileKeyOf(url) }),
      ),
    );
  } catch (error) {
    log.warn('Media of a post are copied later', { post_id, ...describeError(error) });
  }
}

/** Has somebody look after the copies of a post that is gone. */
export async function dropCopies(services: Services, post: Post): Promise<void> {
  await startCopies(services, post);
}

/** The post as it is delivered: with the service's own copies in the place of links, where there are any. */
export async function withCopies(services: Services, post: Post): Promise<Post> {
  const everWaited = waits(post) || (post.version > 1 && post.post_type !== 'text');
  if (!everWaited) return post;
  const copies = await copiesOfPost(services.table, post.workspace_id, post.post_id);
  const ready = new Map(
    copies.flatMap(({ status, url, transfer: { key } }) =>
      status === 'ready' && key !== null ? [[url, publicUrlOf(services.bucket, key)]] : [],
    ),
  );
  return ready.size === 0 ? post : withMediaUrls(post, url => ready.get(url) ?? url);
}

/** Makes a copy, keeps it as long as its post needs it, and takes it away. */
export async function advanceCopy(run: MediaRun, ref: CopyRef): Promise<void> {
  const { table, now } = run.services;
  const copy = await getCopy(table, ref);
  if (!copy || copy.lease_until > now()) return;
  const post = await getPost(table, ref.workspace_id, ref.post_id);
  const until = post && mediaUrlsOf(post).includes(copy.url) ? neededUntil(post, now()) : null;
  if (until === null || until <= now()) return remove(run.services, copy);
  if (copy.status === 'waiting' && post && !destinationsOf(post).every(isSettled))
    return make(run, copy, until);
  await replaceCopy(table, copy, { ...copy, wake_at: until });
}

/** When a post is looked at again, at the latest; by then it may still need its files. */
function neededUntil(post: Post, now: number): number {
  const destinations = destinationsOf(post);
  if (!destinations.every(isSettled)) return Math.max(post.due_at, now) + AFTER_DUE_MS;
  const last = Math.max(...destinations.map(({ changed_at }) => changed_at));
  const hasFailed = destinations.some(({ status }) => status === 'failed');
  return last + (hasFailed ? AFTER_FAILURE_MS : AFTER_DUE_MS);
}

async function remove({ table, bucket }: Services, copy: MediaCopy): Promise<void> {
  await abandonTransfer({ bucket, transfer: copy.transfer });
  await deleteCopy(table, copy);
}

async function make(run: MediaRun, copy: MediaCopy, until: number): Promise<void> {
  const { table, bucket } = run.services;
  let held = await replaceCopy(table, copy, { ...copy, ...leaseOf(run) });
  if (!held) return;
  const save = async (transfer: Transfer) => {
    if (!held) throw new LeaseLost();
    held = await replaceCopy(table, held, { ...held, transfer });
    if (!held) throw new LeaseLost();
  };
  try {
    const newKey = (format: MediaFormat) => randomKey(COPIES, format);
    const result = await runTransfer({ ...run, bucket, newKey, save }, copy.transfer);
    await store(run.services, held, result, until);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}

async function store(
  services: Services,
  held: MediaCopy,
  result: TransferResult,
  until: number,
): Promise<void> {
  const after: MediaCopy = { ...held, transfer: result.transfer, lease_until: 0, wake_at: until };
  if (result.type === 'done') {
    const { key, format } = result;
    const transfer = { ...result.transfer, key, format, s3_upload_id: null };
    if (await replaceCopy(services.table, held, { ...after, status: 'ready', transfer })) return;
    return abandonTransfer({ bucket: services.bucket, transfer });
  }
  if (result.type === 'failed') {
    await replaceCopy(services.table, held, { ...after, status: 'failed', error: result.message });
    return;
  }
  const wait = waitAfter(result.transfer.failures);
  const { workspace_id, post_id, file_key } = held;
  await replaceCopy(services.table, held, { ...after, wake_at: services.now() + wait + GRACE_MS });
  await sendMediaMessage(services, { kind: 'copy', workspace_id, post_id, file_key }, wait);
}
