import * as v from 'valibot';
import { besides, check } from '../http/define-route.ts';
import type { Services } from '../runtime/services.ts';
import { commonPostFields, createPostFields, type CommonPostInput } from './input.ts';
import { examinePost, refused, UNKNOWN_PROFILE, type PostFaults } from './prepare.ts';

const { profile_name, post_type, ...others } = commonPostFields;
/** Where a field that must be sent cannot be read, what hangs on it is not told. */
const readable = v.object({
  ...others,
  profile_name: v.optional(v.nullable(profile_name), null),
  platforms: v.optional(v.array(v.string()), []),
  post_type: v.optional(v.nullable(post_type), null),
});

/** The input of a post. Throws 400 with every fault of the post when one of its fields is not of its kind. */
export async function readInput(
  services: Services,
  workspaceId: string,
  body: Record<string, unknown>,
): Promise<CommonPostInput & Record<string, unknown>> {
  const parsed = v.safeParse(v.object(createPostFields), body);
  if (parsed.success) return parsed.output;
  throw refused(await allFaults(services, workspaceId, body));
}

/** Of lists with elements that are no texts, the others: each URL in its place. */
function readableParts({ platforms, media_urls }: Record<string, unknown>): Record<string, string[]> {
  const isText = (value: unknown) => typeof value === 'string';
  return {
    ...(Array.isArray(platforms) ? { platforms: platforms.filter(isText) } : {}),
    ...(Array.isArray(media_urls) ? { media_urls: media_urls.map(url => (isText(url) ? url : '')) } : {}),
  };
}

/**
 * Everything that is wrong with the body of a post: fields that are not of their kind, and what examining the others
 * finds as if those were not there.
 */
export async function allFaults(
  services: Services,
  workspaceId: string,
  body: Record<string, unknown>,
): Promise<PostFaults> {
  const own = check(createPostFields, body, 'body').details;
  const kinds = Object.entries(createPostFields);
  const fitting = kinds.filter(([name, kind]) => v.safeParse(v.object({ [name]: kind }), body).success);
  const kept = Object.fromEntries(fitting.map(([name]) => [name, body[name]]));
  const input = { ...kept, ...v.parse(readable, { ...kept, ...readableParts(body) }) };
  const { profile, details, violations } = await examinePost(services, workspaceId, input);
  const unknown = input.profile_name !== null && !profile ? [UNKNOWN_PROFILE] : [];
  return { details: [...own, ...besides(own, [...unknown, ...details])], violations };
}
