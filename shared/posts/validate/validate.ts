import { ENV } from '../../aws/env.ts';
import { withFreshFacts } from '../../connections/facts.ts';
import { ApiError, notFound, validationFailed, type ValidationDetail } from '../../http/errors.ts';
import { additionalDetails } from '../../http/validate.ts';
import type { Connection, Profile } from '../../model/profile.ts';
import type { PostContent } from '../../platforms/kit/draft.ts';
import type { Services } from '../../runtime/services.ts';
import { listConnections } from '../../store/connections.ts';
import { findProfileByName } from '../../store/profiles.ts';
import { contentOf, platformPosts } from '../drafts.ts';
import { errorOf } from '../error.ts';
import type { Candidate, PostRequest } from '../input/read.ts';
import type { FieldWarning } from '../warning.ts';
import { connectionsFor } from './accounts.ts';
import { availabilityWarnings } from './availability.ts';
import { bannedHashtags, type HashtagViolation } from './banned-hashtags.ts';
import { candidateErrors } from './candidate.ts';
import { fileResults, type ProbeBudget } from './file-facts.ts';
import { fileFindings, fileUrls, totalSize } from './files.ts';
import { ignoredFieldWarnings } from './ignored-fields.ts';
import { possibleLimitWarnings } from './possible-limits.ts';
import { possibleRejectionWarnings } from './possible-rejections.ts';

/** Everything that was found about a post. It can be stored where `errors` and `violations` are empty and the profile exists. */
export interface Validation {
  candidate: Candidate;
  /** Null where no profile has the name. */
  profile: Profile | null;
  /** The profile's connections to the platforms of the post. */
  connections: Connection[];
  errors: ValidationDetail[];
  /** Banned hashtags, which have a response body of their own. */
  violations: HashtagViolation[];
  warnings: FieldWarning[];
  /** Total size of the files that the platforms will get; null while unknown. */
  media_bytes: number | null;
}

/** A post without errors. */
export interface ValidPost extends Pick<
  Validation,
  'candidate' | 'connections' | 'warnings' | 'media_bytes'
> {
  content: PostContent;
  profile: Profile;
}

/** Validates a post: its fields, accounts, hashtags and files. `budget`: for files of other hosts; null: they are not read. */
export async function validateCandidate(
  services: Services,
  workspaceId: string,
  { candidate, malformed, errors }: PostRequest,
  budget: ProbeBudget | null,
): Promise<Validation> {
  const { profile, connections, errors: accountErrors } = await accountsOf(services, workspaceId, candidate);
  const posts = platformPosts(candidate, connections);
  const urls = fileUrls(posts);
  const [ruleErrors, violations, results] = await Promise.all([
    candidateErrors(candidate, posts),
    bannedHashtags(services, workspaceId, candidate),
    fileResults(services.bucket, urls, budget),
  ]);
  const files = fileFindings(posts, results);
  const found = [
    ...errors,
    ...ruleErrors,
    ...accountErrors,
    ...additionalFileErrors(ruleErrors, files.errors),
  ];
  return {
    candidate,
    profile,
    connections,
    errors: [...malformed, ...additionalDetails(malformed, found)],
    violations,
    warnings: [
      ...availabilityWarnings(candidate.platforms),
      ...ignoredFieldWarnings(candidate, posts),
      ...possibleLimitWarnings(posts),
      ...possibleRejectionWarnings(posts),
      ...files.warnings,
    ],
    media_bytes: totalSize(urls, results),
  };
}

/** Returns the profile that a post names, and its connections to the platforms of the post. */
async function accountsOf(services: Services, workspaceId: string, candidate: Candidate) {
  const { profile_name, platforms } = candidate;
  const profile =
    profile_name === null ? null : await findProfileByName(services.table, workspaceId, profile_name);
  if (!profile) return { profile, connections: [], errors: [] };
  const all = await listConnections(services.table, workspaceId, profile.id);
  const used = all.filter(({ platform }) => platforms.includes(platform));
  const current = await Promise.all(used.map(connection => withFreshFacts(services, connection)));
  return { profile, ...connectionsFor(candidate, current, services.setting(ENV.disabledPlatforms)) };
}

/** A URL that is refused for its address needs no second error because it could not be read. */
function additionalFileErrors(
  known: readonly ValidationDetail[],
  fileErrors: readonly ValidationDetail[],
): ValidationDetail[] {
  const reported = new Set(known.map(({ field }) => field));
  return fileErrors.filter(({ field, platform }) => platform !== null || !reported.has(field));
}

/** Returns a post without errors. Throws 400 with every error, 404 where the only one is that the profile does not exist. */
export function requireValid({ errors, violations, ...post }: Validation): ValidPost {
  const { candidate, profile, connections, warnings, media_bytes } = post;
  const content = contentOf(candidate);
  if (errors.length + violations.length > 0 || content === null) {
    throw refusal(profile ? errors : [...profileErrors(post), ...errors], violations);
  }
  if (!profile) throw notFound('Profile');
  return { candidate, content, profile, connections, warnings, media_bytes };
}

/** Returns the error of a profile that does not exist; none where the name itself is invalid. */
export function profileErrors({ candidate, profile }: Pick<Validation, 'candidate' | 'profile'>) {
  return profile || candidate.profile_name === null ? [] : [errorOf('profile_name', 'Profile not found')];
}

/** Returns banned hashtags as errors like any other. */
export const hashtagErrors = (violations: readonly HashtagViolation[]): ValidationDetail[] =>
  violations.map(({ field, message, platform }) => ({ field, message, platform }));

/** 400. Banned hashtags alone have a body of their own; beside other errors they are listed in both ways. */
function refusal(errors: readonly ValidationDetail[], violations: readonly HashtagViolation[]): ApiError {
  if (violations.length === 0) return validationFailed(errors);
  if (errors.length > 0) return validationFailed([...errors, ...hashtagErrors(violations)], { violations });
  return new ApiError({ status: 400, body: { error: 'The post contains banned hashtags', violations } });
}
