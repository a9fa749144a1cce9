import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { schedulePost } from '../../shared/delivery/dispatch.ts';
import { firstSweepAt } from '../../shared/delivery/sweep.ts';
import { reopened } from '../../shared/delivery/transitions.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound, validationFailed } from '../../shared/http/errors.ts';
import { recordUploadUses } from '../../shared/media/uploads/upload-uses.ts';
import { mayBeLive, type Destination } from '../../shared/model/destination.ts';
import { PlatformIdSchema, readPlatformId, type PlatformId } from '../../shared/model/platform.ts';
import { destinationsOf, statusOf, type Post } from '../../shared/model/post.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { WarningView } from '../../shared/posts/present/warning-view.ts';
import { postChanged } from '../../shared/posts/store/write.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost, replacePost } from '../../shared/store/posts.ts';

/** A failure is stored a moment before its events are sent; the post is read again until they are. */
const READS = 10;
const PAUSE_MS = 100;

const retryFields = {
  platforms: v.optional(
    v.pipe(
      v.array(v.string()),
      v.minLength(1, 'Must contain at least one platform'),
      v.description('Platforms to retry; default: all that have failed'),
    ),
  ),
  even_if_live: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'Also retries where the response to the publishing request was lost (`DELIVERY_UNKNOWN`). The post may be live there and would be published twice',
      ),
    ),
    false,
  ),
};

const RetryView = v.pipe(
  v.object({
    message: v.string(),
    post_id: v.string(),
    destinations_count: v.number(),
    platforms: v.array(PlatformIdSchema),
    warnings: v.array(WarningView),
  }),
  v.title('RetriedPost'),
);

export const retryPost = route({
  method: 'POST',
  path: '/posts/{id}/retry',
  operation_id: 'retryPost',
  summary: 'Retry the failed destinations of a post',
  description:
    'Destinations that may be live although the response of the platform was lost are skipped with a warning unless `even_if_live` is true. Answers 409 `POST_MAY_BE_LIVE` where no other destination can be retried.',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  body: retryFields,
  body_docs: { platforms: v.optional(v.pipe(v.array(PlatformIdSchema), v.minLength(1))) },
  responses: {
    202: { description: 'The failed destinations are being retried', schema: RetryView },
    404: { description: 'Post not found' },
    409: {
      description: 'No destination has failed, or the post may be live where it has',
      codes: ['POST_NOT_RETRYABLE', 'POST_MAY_BE_LIVE', 'POST_CHANGED'],
    },
  },
  handler: async ({ params, body, principal }, services) => {
    const post = await readSettled(services, principal.workspace_id, params.id);
    const requested = body.platforms ? readDestinations(post, body.platforms) : null;
    const failed = destinationsOf(post).filter(
      each => isRetryable(each) && (requested === null || requested.includes(each.platform)),
    );
    const skipped = body.even_if_live ? [] : failed.filter(mayBeLive);
    const retried = failed.filter(each => !skipped.includes(each));
    if (retried.length === 0) throw nothingToRetry(post, skipped);

    const next = withReopened(post, retried, services.now());
    await recordUploadUses(services, next);
    if ((await replacePost(services.table, post, next)) !== 'written') throw postChanged(post);
    await schedulePost(services, next);
    return {
      status: 202,
      body: {
        message: 'The failed destinations are being retried',
        post_id: post.post_id,
        destinations_count: retried.length,
        platforms: retried.map(({ platform }) => platform),
        warnings: skipped.map(({ platform }) => ({
          code: 'MAY_BE_LIVE' as const,
          message: `Was not retried: ${adviceFor(platform)}`,
          platform,
        })),
      },
    };
  },
});

/** Reads a post after the events of its failures were sent: reopening a destination discards its outbox. */
async function readSettled(services: Services, workspaceId: string, postId: string): Promise<Post> {
  for (let read = 1; ; read += 1) {
    const post = await getPost(services.table, workspaceId, postId);
    if (!post) throw notFound('Post');
    const isSending = destinationsOf(post).some(each => each.status === 'failed' && each.outbox.length > 0);
    if (!isSending || read === READS) return post;
    await sleep(PAUSE_MS);
  }
}

/** Resolves platform names. Throws 400 with every platform that the post does not have. */
function readDestinations(post: Post, names: readonly string[]): PlatformId[] {
  const known = names.map(name => ({ name, platform: readPlatformId(name) }));
  const own = known.flatMap(({ platform }) => (platform && post.destinations[platform] ? [platform] : []));
  const others = known.filter(({ platform }) => !platform || !post.destinations[platform]);
  if (others.length === 0) return own;
  throw validationFailed(
    others.map(({ name }) => errorOf('platforms', 'Must contain only platforms of the post', name)),
  );
}

const isRetryable = (destination: Destination) =>
  destination.status === 'failed' && destination.outbox.length === 0;

function withReopened(post: Post, retried: readonly Destination[], now: number): Post {
  const next = retried.map(destination => [destination.platform, reopened(destination, now)] as const);
  const destinations = { ...post.destinations, ...Object.fromEntries(next) };
  const retriedPost = { ...post, destinations, updated_at: now };
  return { ...retriedPost, wake_at: firstSweepAt(retriedPost, now) };
}

const adviceFor = (platform: PlatformId) =>
  `the post may be live on ${BASICS[platform].display_name}. Check the account, then retry with even_if_live: true if it is not`;

function nothingToRetry(post: Post, skipped: readonly Destination[]) {
  const status = statusOf(post);
  const [first] = skipped;
  if (!first) {
    return conflict('None of the destinations has failed', { code: 'POST_NOT_RETRYABLE', status });
  }
  return conflict(`Nothing was retried: ${adviceFor(first.platform)}`, {
    code: 'POST_MAY_BE_LIVE',
    status,
    platforms: skipped.map(({ platform }) => platform),
  });
}
