import { schedulePost } from '../../shared/delivery/dispatch.ts';
import { requirePlan } from '../../shared/http/authenticate.ts';
import { route } from '../../shared/http/define-route.ts';
import type { ApiRequest } from '../../shared/http/route.ts';
import { startCopies } from '../../shared/media/copies/copy-media.ts';
import type { Post } from '../../shared/model/post.ts';
import { anyPostFields, postFieldDocs } from '../../shared/posts/input/fields.ts';
import { readPost } from '../../shared/posts/input/read.ts';
import { atBestTime } from '../../shared/posts/place/best-time.ts';
import { placeAndStore } from '../../shared/posts/place/place.ts';
import { createdPost } from '../../shared/posts/present/created.ts';
import { CreatedPostView, POST_EXAMPLE, postErrorResponses } from '../../shared/posts/present/view.ts';
import { newPost } from '../../shared/posts/store/new-post.ts';
import { storeFingerprint } from '../../shared/posts/store/similar.ts';
import { creationBudget } from '../../shared/posts/validate/file-facts.ts';
import { requireValid, validateCandidate } from '../../shared/posts/validate/validate.ts';
import type { Warning } from '../../shared/posts/warning.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost } from '../../shared/store/posts.ts';

export const createPost = route({
  method: 'POST',
  path: '/posts',
  operation_id: 'createPost',
  summary: 'Publish a post now or schedule it',
  tag: 'Posts',
  auth: 'key',
  body: anyPostFields,
  body_docs: postFieldDocs,
  body_example: POST_EXAMPLE,
  responses: {
    201: { description: 'The post is stored and will be published', schema: CreatedPostView },
    404: { description: 'Profile not found' },
    409: {
      description: 'The post was deleted meanwhile, or the request is still running',
      codes: ['POST_DELETED'],
    },
    ...postErrorResponses,
  },
  handler: async (request, services) => {
    const post_id = request.newResourceId();
    // What is valid may have changed since an earlier run stored the post: its time may have passed.
    const stored = request.is_rerun
      ? await getPost(services.table, request.principal.workspace_id, post_id)
      : null;
    return stored ? finish(services, request, stored, []) : create(services, request, post_id);
  },
});

type CreateRequest = ApiRequest<unknown, unknown, Record<string, unknown>, 'key'>;

async function create(services: Services, asked: CreateRequest, post_id: string) {
  const { body, unknown_fields, principal, request_id, asked_at } = asked;
  const request = await readPost(body, unknown_fields, services.now());
  const { scheduling } = request.candidate;
  if (scheduling === 'queue') requirePlan(services, principal, QUEUE_PLAN);
  const found = await validateCandidate(
    services,
    principal.workspace_id,
    request,
    creationBudget(scheduling),
  );
  const valid = requireValid(found);

  const { timed, warnings } = await atBestTime(services, valid);
  const post = await placeAndStore(services, {
    post: { ...newPost(post_id, timed, principal, asked_at), request_id },
    previous: null,
    connections: valid.connections,
  });
  return finish(services, asked, post, [...valid.warnings, ...warnings]);
}

/** Starts what follows a stored post, and returns the response. Nothing here throws: the post is stored. */
async function finish(
  services: Services,
  { base_url }: CreateRequest,
  post: Post,
  warnings: readonly Warning[],
) {
  const [duplicates] = await Promise.all([
    storeFingerprint(services, post),
    schedulePost(services, post),
    startCopies(services, post),
  ]);
  return {
    status: 201 as const,
    headers: { location: `${new URL(base_url).pathname}/posts/${post.post_id}` },
    body: createdPost(post, [...warnings, ...duplicates]),
  };
}
