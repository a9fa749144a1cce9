import * as v from 'valibot';
import { reservationsOf } from '../../shared/caps/reserve.ts';
import { schedulePost } from '../../shared/delivery/dispatch.ts';
import { requirePlan } from '../../shared/http/authenticate.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { startCopies } from '../../shared/media/copies/copy-media.ts';
import type { Post } from '../../shared/model/post.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import { errorOf } from '../../shared/posts/error.ts';
import { anyPostFields, postFieldDocs } from '../../shared/posts/input/fields.ts';
import { readPost, type PostRequest } from '../../shared/posts/input/read.ts';
import { atBestTime } from '../../shared/posts/place/best-time.ts';
import { releaseUnused } from '../../shared/posts/place/caps.ts';
import { placeAndStore } from '../../shared/posts/place/place.ts';
import { postRecord } from '../../shared/posts/present/record.ts';
import { postErrorResponses, PostRecordSchema, PostView } from '../../shared/posts/present/view.ts';
import { WarningView } from '../../shared/posts/present/warning-view.ts';
import { cancelSchedule } from '../../shared/posts/store/cancel.ts';
import { newPost } from '../../shared/posts/store/new-post.ts';
import { comparedText, storeFingerprint } from '../../shared/posts/store/similar.ts';
import { isEditable, notEditable } from '../../shared/posts/store/write.ts';
import { creationBudget } from '../../shared/posts/validate/file-facts.ts';
import { requireValid, validateCandidate, type ValidPost } from '../../shared/posts/validate/validate.ts';
import type { Warning } from '../../shared/posts/warning.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost } from '../../shared/store/posts.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { atTimeOf, timingChange } from './timing.ts';

const optionalFields = Object.fromEntries(
  Object.entries(postFieldDocs).map(([name, schema]) => [name, v.optional(schema)]),
);

export const updatePost = route({
  method: 'POST',
  path: '/posts/{id}',
  operation_id: 'updatePost',
  summary: 'Change a post that is not being published yet',
  description: 'Omitted fields keep their value.',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  body: anyPostFields,
  body_docs: optionalFields,
  body_example: { description: 'Our new blend is out today', scheduled_date: '2026-12-01T12:00:00Z' },
  responses: {
    200: {
      description: 'The changed post',
      schema: v.object({ message: v.string(), post: PostView, warnings: v.array(WarningView) }),
    },
    ...postErrorResponses,
    404: { description: 'Post not found' },
    409: {
      description: 'A destination is no longer pending, or another request changed the post',
      codes: ['POST_NOT_EDITABLE', 'POST_CHANGED'],
    },
  },
  handler: async ({ params, body, unknown_fields, principal }, services) => {
    const previous = await getPost(services.table, principal.workspace_id, params.id);
    if (!previous) throw notFound('Post');
    if (!isEditable(previous)) throw notEditable(previous);
    const timing = await timingChange(previous, body);
    // A client may send a post back as it was returned, with fields that cannot be changed.
    const unknown = unknown_fields.filter(name => !Object.hasOwn(PostRecordSchema.entries, name));
    const request = await readMerged(services, previous, { ...body, ...timing.input }, unknown);
    const { scheduling } = request.candidate;
    if (scheduling === 'queue') requirePlan(services, principal, QUEUE_PLAN);
    const budget = creationBudget(timing.keeps ? previous.scheduling : scheduling);
    const found = await validateCandidate(services, principal.workspace_id, request, budget);
    const valid = requireValid(found);

    const { next, warnings } = await nextVersion(services, previous, valid, timing.keeps, principal);
    const post = await placeAndStore(services, { post: next, previous, connections: valid.connections });
    // None of these throws: the post is stored.
    const [duplicates] = await Promise.all([
      isSameContent(previous, post) ? [] : storeFingerprint(services, post),
      schedulePost(services, post),
      startCopies(services, post),
      // What the previous version held and the new one does not use.
      releaseUnused(services, reservationsOf(previous), post),
      cancelSchedule(services, previous),
    ]);
    return {
      status: 200,
      body: {
        message: 'The post was updated',
        post: postRecord(post),
        warnings: [...warnings, ...valid.warnings, ...duplicates],
      },
    };
  },
});

/** Reads the edited post as if it were created. */
async function readMerged(
  services: Services,
  post: Post,
  changes: Record<string, unknown>,
  unknown: readonly string[],
): Promise<PostRequest> {
  const profile = await getProfile(services.table, post.workspace_id, post.profile_id);
  const merged = { ...inputOf(post, profile?.profile_name ?? post.profile_name), ...changes };
  const request = await readPost({ ...merged, post_type: post.post_type }, unknown, services.now());
  if (merged['post_type'] === post.post_type) return request;
  return { ...request, malformed: [errorOf('post_type', 'Cannot be changed'), ...request.malformed] };
}

/** Returns a stored post as request fields. `profile_name`: the current name of its profile. */
function inputOf(post: Post, profile_name: string): Record<string, unknown> {
  return {
    post_type: post.post_type,
    profile_name,
    platforms: Object.keys(post.destinations),
    media_urls: post.media_urls,
    media_alt_texts: post.media_alt_texts ?? [],
    title: post.title,
    description: post.description,
    first_comment: post.first_comment,
    auto_truncate: post.auto_truncate,
    ...post.options,
  };
}

async function nextVersion(
  services: Services,
  previous: Post,
  valid: ValidPost,
  keepsTime: boolean,
  principal: Principal,
): Promise<{ next: Post; warnings: Warning[] }> {
  const now = services.now();
  const { timed, warnings } = keepsTime ? { timed: valid, warnings: [] } : await atBestTime(services, valid);
  const next: Post = {
    ...newPost(previous.post_id, timed, principal, now),
    version: previous.version + 1,
    created_by: previous.created_by,
    created_at: previous.created_at,
  };
  return { next: keepsTime ? atTimeOf(previous, next, now) : next, warnings };
}

/** The fingerprint needs no update where neither content, time nor profile changed. */
const isSameContent = (a: Post, b: Post) =>
  comparedText(a) === comparedText(b) && a.due_at === b.due_at && a.profile_id === b.profile_id;
