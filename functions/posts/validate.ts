import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import type { ValidationDetail } from '../../shared/http/errors.ts';
import { newId } from '../../shared/model/id.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { anyPostFields, postFieldDocs } from '../../shared/posts/input/fields.ts';
import { readPost } from '../../shared/posts/input/read.ts';
import { POST_EXAMPLE } from '../../shared/posts/present/view.ts';
import { WarningView } from '../../shared/posts/present/warning-view.ts';
import { findSimilar } from '../../shared/posts/store/similar.ts';
import { capErrors } from '../../shared/posts/validate/caps.ts';
import { VALIDATE_BUDGET } from '../../shared/posts/validate/file-facts.ts';
import {
  hashtagErrors,
  profileErrors,
  validateCandidate,
  type Validation,
} from '../../shared/posts/validate/validate.ts';
import type { DuplicateWarning } from '../../shared/posts/warning.ts';
import type { Services } from '../../shared/runtime/services.ts';

const DestinationView = v.object({
  platform: PlatformIdSchema,
  social_account_id: v.nullable(v.string()),
  valid: v.boolean(),
});

const ValidationView = v.pipe(
  v.object({
    valid: v.boolean(),
    errors: v.array(v.object({ field: v.string(), message: v.string(), platform: v.nullable(v.string()) })),
    warnings: v.array(WarningView),
    destinations: v.array(DestinationView),
  }),
  v.title('PostValidation'),
);

export const validatePost = route({
  method: 'POST',
  path: '/posts/validate',
  operation_id: 'validatePost',
  summary: 'Validate a post and its media without storing or publishing anything',
  tag: 'Posts',
  auth: 'key',
  body: anyPostFields,
  body_docs: postFieldDocs,
  body_example: POST_EXAMPLE,
  responses: {
    200: { description: 'Every error and warning, and which destinations are valid', schema: ValidationView },
  },
  handler: async ({ body, unknown_fields, principal }, services) => {
    const request = await readPost(body, unknown_fields, services.now());
    const found = await validateCandidate(services, principal.workspace_id, request, VALIDATE_BUDGET);
    const [caps, similar] = await Promise.all([capErrors(services, found), similarPosts(services, found)]);
    const errors = [...profileErrors(found), ...found.errors, ...hashtagErrors(found.violations), ...caps];
    return {
      status: 200,
      body: {
        valid: errors.length === 0,
        errors,
        warnings: [...found.warnings, ...similar],
        destinations: destinationViews(found, errors),
      },
    };
  },
});

async function similarPosts(
  services: Services,
  { candidate, profile }: Validation,
): Promise<DuplicateWarning[]> {
  if (!profile) return [];
  const now = services.now();
  const { title, description, media_urls, scheduled_at } = candidate;
  return findSimilar(services, {
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    post_id: newId(now),
    due_at: scheduled_at ?? now,
    title,
    description,
    media_urls,
  });
}

/** An error without a platform concerns every destination. */
function destinationViews(
  { candidate, connections }: Validation,
  errors: readonly ValidationDetail[],
): v.InferOutput<typeof DestinationView>[] {
  return candidate.platforms.map(platform => ({
    platform,
    social_account_id: connections.find(each => each.platform === platform)?.id ?? null,
    valid: !errors.some(error => error.platform === platform || error.platform === null),
  }));
}
