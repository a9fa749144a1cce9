import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { schedulePost } from '../../shared/delivery/schedule.ts';
import { firstSweepAt } from '../../shared/delivery/timing.ts';
import { reopened } from '../../shared/delivery/transitions.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound, validationFailed } from '../../shared/http/errors.ts';
import { mayBeLive, type Destination } from '../../shared/model/destination.ts';
import { PlatformIdSchema, readPlatformId, type PlatformId } from '../../shared/model/platform.ts';
import { destinationsOf, statusOf, type Post } from '../../shared/model/post.ts';
import { RULES } from '../../shared/platforms/registry.ts';
import { WarningView } from '../../shared/posts/view.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost, replacePost } from '../../shared/store/posts.ts';

/** A failure is told a moment after it is stored: its events are waited for this often and long. Milliseconds. */
const LOOKS = 10;
const PAUSE_MS = 100;

const retryFields = {
  platforms: v.optional(
    v.pipe(
      v.array(v.string()),
      v.minLength(1, 'Must name at least one platform'),
      v.description('Only these; without it all that have failed'),
    ),
  ),
  even_if_live: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'Also where the answer to the publishing request was lost (`DELIVERY_UNKNOWN`): the post may be live there already, and would be published twice',
      ),
    ),
    false,
  ),
};

const RetryView = v.object({
  message: v.string(),
  post_id: v.string(),
  destinations_count: v.number(),
  platforms: v.array(PlatformIdSchema),
  warnings: v.array(WarningView),
});

export const retryPost = route({
  method: 'POST',
  path: '/posts/{id}/retry',
  operation_id: 'retryPost',
  summary: 'Try the failed destinations of a post again',
  description:
    'Destinations that may be live although their answer was lost are left out, with a warning, unless `even_if_live` is true. Where nothing else is left to retry the answer is 409 `POST_MAY_BE_LIVE`.',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  body: retryFields,
  responses: {
    202: { description: 'The failed destinations are on their way again', schema: RetryView },
    404: { description: 'No such post' },
    409: {
      description:
        'No destination has failed (`POST_NOT_RETRYABLE`), or the post may be live where it has (`POST_MAY_BE_LIVE`)',
    },
  },
  handler: async ({ params, body, principal }, services) => {
    const post = await readSettled(services, principal.workspace_id, params.id.toLowerCase());
    const named = body.platforms ? readDestinations(post, body.platforms) : null;
    const failed = destinationsOf(post).filter(
      each => canBeRevived(each) && (named === null || named.includes(each.platform)),
    );
    const doubtful = body.even_if_live ? [] : failed.filter(mayBeLive);
    const wanted = failed.filter(each => !doubtful.includes(each));
    if (wanted.length === 0) throw nothingToRetry(post, doubtful);

    const next = withRevived(post, wanted, services.now());
    if ((await replacePost(services.table, post, next)) !== 'written') throw movedOn(post);
    await schedulePost(services, next);
    return {
      status: 202,
      body: {
        message: 'The failed destinations are tried again',
        post_id: post.post_id,
        destinations_count: wanted.length,
        platforms: wanted.map(({ platform }) => platform),
        warnings: doubtful.map(({ platform }) => ({
          code: 'MAY_BE_LIVE',
          message: `Was not tried again: ${howToGoOn(platform)}`,
          platform,
        })),
      },
    };
  },
});

/** The post once the events of its failures are on their way: what is owed for them would be forgotten. */
async function readSettled(services: Services, workspaceId: string, postId: string): Promise<Post> {
  for (let look = 1; ; look += 1) {
    const post = await getPost(services.table, workspaceId, postId);
    if (!post) throw notFound('Post');
    const owing = destinationsOf(post).some(each => each.status === 'failed' && each.outbox.length > 0);
    if (!owing || look === LOOKS) return post;
    await sleep(PAUSE_MS);
  }
}

/** The destinations that are named, by any of their names. Throws 400 with every one that the post does not have. */
function readDestinations(post: Post, names: readonly string[]): PlatformId[] {
  const known = names.map(name => ({ name, platform: readPlatformId(name) }));
  const own = known.flatMap(({ platform }) => (platform && post.destinations[platform] ? [platform] : []));
  const foreign = known.filter(({ platform }) => !platform || !post.destinations[platform]);
  if (foreign.length === 0) return own;
  const message = 'The post does not go to this platform';
  throw validationFailed(foreign.map(({ name }) => ({ field: 'platforms', message, platform: name })));
}

const canBeRevived = (destination: Destination) =>
  destination.status === 'failed' && destination.outbox.length === 0;

function withRevived(post: Post, wanted: readonly Destination[], now: number): Post {
  const next = wanted.map(destination => [destination.platform, reopened(destination, now)] as const);
  return {
    ...post,
    destinations: { ...post.destinations, ...Object.fromEntries(next) },
    updated_at: now,
    wake_at: firstSweepAt(now, now),
  };
}

const howToGoOn = (platform: PlatformId) =>
  `the post may be live on ${RULES[platform].display_name}. Look at the account, then retry with even_if_live: true where it is not`;

function nothingToRetry(post: Post, doubtful: readonly Destination[]) {
  const [first] = doubtful;
  const status = statusOf(post);
  if (!first) {
    const code = 'POST_NOT_RETRYABLE';
    return conflict('None of the destinations has failed', { code, status });
  }
  const platforms = doubtful.map(({ platform }) => platform);
  return conflict(`Nothing was tried again: ${howToGoOn(first.platform)}`, {
    code: 'POST_MAY_BE_LIVE',
    status,
    platforms,
  });
}

const movedOn = (post: Post) =>
  conflict('Another request changed the post at the same time: read it and try again', {
    code: 'POST_CHANGED',
    status: statusOf(post),
  });
