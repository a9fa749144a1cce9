import * as v from 'valibot';
import { announcedLimitOf } from '../../shared/caps/answers.ts';
import { violationsOf } from '../../shared/caps/reserve.ts';
import { route } from '../../shared/http/define-route.ts';
import { newId } from '../../shared/model/id.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { RULES } from '../../shared/platforms/registry.ts';
import { contentOf } from '../../shared/posts/check.ts';
import { fileFaults } from '../../shared/posts/file-faults.ts';
import {
  anyPostFields,
  createPostFields,
  postFieldDocs,
  type CommonPostInput,
} from '../../shared/posts/input.ts';
import { asDetails, examinePost, UNKNOWN_PROFILE, type ExaminedPost } from '../../shared/posts/prepare.ts';
import { allFaults } from '../../shared/posts/read.ts';
import { findSimilar } from '../../shared/posts/similar.ts';
import { ignoredFieldWarnings, type Warning } from '../../shared/posts/warnings.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { POST_EXAMPLE } from '../../shared/posts/view.ts';

interface Finding {
  field: string;
  message: string;
  platform: string | null;
}

const ValidationView = v.object({
  valid: v.boolean(),
  errors: v.array(v.object({ field: v.string(), message: v.string(), platform: v.nullable(v.string()) })),
  warnings: v.array(v.looseObject({ code: v.string(), message: v.string() })),
  destinations: v.array(
    v.object({ platform: v.string(), social_account_id: v.nullable(v.string()), valid: v.boolean() }),
  ),
});

export const validatePost = route({
  method: 'POST',
  path: '/posts/validate',
  operation_id: 'validatePost',
  summary: 'Check a post and its media without storing or publishing anything',
  tag: 'Posts',
  auth: 'key',
  body: anyPostFields,
  body_docs: postFieldDocs,
  body_example: POST_EXAMPLE,
  responses: { 200: { description: 'Everything that was found', schema: ValidationView } },
  handler: async ({ body, principal }, services) => {
    const readable = v.safeParse(v.object(createPostFields), body);
    if (!readable.success) {
      const { details, violations } = await allFaults(services, principal.workspace_id, body);
      const errors = [...details, ...asDetails(violations)];
      return { status: 200, body: { valid: false, errors, warnings: [], destinations: [] } };
    }
    const input = readable.output;
    const examined = await examinePost(services, principal.workspace_id, input);
    const found = await lookCloser(services, principal.workspace_id, input, examined);
    const known = [...examined.details, ...asDetails(examined.violations)];
    const errors = [...known, ...found.errors.filter(error => !isKnown(error, known))];
    return {
      status: 200,
      body: {
        valid: errors.length === 0,
        errors,
        warnings: found.warnings,
        destinations: destinationsOf(examined, errors),
      },
    };
  },
});

/** A URL that is refused by its address is refused again when it is looked at. */
const isKnown = ({ field, platform }: Finding, known: readonly Finding[]) =>
  platform === null && known.some(each => each.field === field);

/** What creating a post asks beyond its fields, and its media where they lie. */
async function lookCloser(
  services: Services,
  workspaceId: string,
  input: CommonPostInput & Record<string, unknown>,
  { checked, profile, connections }: ExaminedPost,
): Promise<{ errors: Finding[]; warnings: Warning[] }> {
  const content = contentOf(input, checked);
  const http = createHttpClient();
  try {
    const [files, limits, similar] = await Promise.all([
      fileFaults(http, content, checked.platforms),
      limitFindings(services, checked, connections),
      profile ? similarTo(services, workspaceId, profile.id, checked) : [],
    ]);
    return {
      errors: [...(profile ? [] : [UNKNOWN_PROFILE]), ...files.details, ...limits],
      warnings: [...ignoredFieldWarnings(input, checked.platforms, content), ...files.warnings, ...similar],
    };
  } finally {
    http.close();
  }
}

function similarTo(
  services: Services,
  workspace_id: string,
  profile_id: string,
  { title, description, media_urls, scheduled_at }: ExaminedPost['checked'],
): Promise<Warning[]> {
  const now = services.now();
  const due_at = scheduled_at ?? now;
  const post_id = newId(now);
  return findSimilar(services, { workspace_id, profile_id, post_id, title, description, media_urls, due_at });
}

/** Limits that would answer 429: daily caps, and what platforms announced. A time that is still to be found is not looked at. */
async function limitFindings(
  services: Services,
  { scheduling, scheduled_at }: ExaminedPost['checked'],
  connections: ExaminedPost['connections'],
): Promise<Finding[]> {
  if (scheduling === 'queue' || scheduling === 'best_time') return [];
  const at = scheduled_at ?? services.now();
  const post_id = newId(services.now());
  const claims = connections.map(({ id, platform }) => ({ account_id: id, platform, post_id, at }));
  const refusals = await violationsOf(services, claims);
  const limited = connections.filter(connection => announcedLimitOf([connection], at));
  return [
    ...refusals.map(({ platform, cap }) => ({
      field: 'platforms',
      message: `The account has its ${cap} posts of 24 hours`,
      platform,
    })),
    ...limited.map(({ platform }) => ({
      field: 'platforms',
      message: `${RULES[platform].display_name} takes no more posts of this account for now`,
      platform,
    })),
  ];
}

function destinationsOf({ checked, connections }: ExaminedPost, errors: readonly Finding[]) {
  return checked.platforms.map(platform => ({
    platform,
    social_account_id: connections.find(each => each.platform === platform)?.id ?? null,
    valid: !errors.some(error => error.platform === platform || error.platform === null),
  }));
}
