import { schedulePost } from '../../shared/delivery/dispatch.ts';
import { requirePlan } from '../../shared/http/authenticate.ts';
import { route } from '../../shared/http/define-route.ts';
import { startCopies } from '../../shared/media/copies/copy-media.ts';
import { anyPostFields, postFieldDocs } from '../../shared/posts/input/fields.ts';
import { readPost } from '../../shared/posts/input/read.ts';
import { atBestTime } from '../../shared/posts/place/best-time.ts';
import { placeAndStore } from '../../shared/posts/place/place.ts';
import { createdPost } from '../../shared/posts/present/created.ts';
import { CreatedPostView, POST_EXAMPLE, postErrorResponses } from '../../shared/posts/present/view.ts';
import { newPost } from '../../shared/posts/store/new-post.ts';
import { storeFingerprints } from '../../shared/posts/store/similar.ts';
import { creationBudget } from '../../shared/posts/validate/file-facts.ts';
import { requireValid, validateCandidate } from '../../shared/posts/validate/validate.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';

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
  handler: async (
    { body, unknown_fields, principal, base_url, request_id, newResourceId, asked_at },
    services,
  ) => {
    const request = readPost(body, unknown_fields, services.now());
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
      post: { ...newPost(newResourceId(), timed, principal, asked_at), request_id },
      previous: null,
      connections: valid.connections,
    });
    // None of these throws: the post is stored.
    const [duplicates] = await Promise.all([
      storeFingerprints(services, post),
      schedulePost(services, post),
      startCopies(services, post),
    ]);
    return {
      status: 201,
      headers: { location: `${new URL(base_url).pathname}/posts/${post.post_id}` },
      body: createdPost(post, [...valid.warnings, ...duplicates, ...warnings]),
    };
  },
});
