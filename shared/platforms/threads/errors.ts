import { HOUR } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { ErrorRow } from '../families/meta/error-row.ts';
import { isGraphError, type GraphFailure } from '../families/meta/errors.ts';

/** Less than a day, so that the retry is still within a destination's budget: it is the only one. */
const RESTRICTED_MS = 23 * HOUR;

const REJECTED = { kind: 'rejected', failure: 'CONTENT_REJECTED' } as const;
const DENIED = { kind: 'rejected', failure: 'PERMISSION_MISSING' } as const;
const LIMITED = { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT' } as const;

/** Threads refuses longer texts with a message that begins like this. */
const TOO_LONG = /param text must be at most/i;

/**
 * Errors that Threads alone has, or that mean something else there.
 *
 * @see https://developers.facebook.com/docs/threads/troubleshooting
 */
export const THREADS_ERRORS: readonly ErrorRow[] = [
  { code: 24, subcode: 4279009, kind: 'transient', failure: 'PLATFORM_UNAVAILABLE' },
  {
    code: 100,
    message: TOO_LONG,
    ...REJECTED,
    advice:
      'Threads counts an emoji, and perhaps a typographic sign such as a curly apostrophe, by its bytes: shorten the text.',
  },
  {
    message: /LINK_LIMIT_EXCEEDED/,
    ...REJECTED,
    advice: 'The text has more different links than Threads accepts: remove some.',
  },
  {
    message: /FEATURE_NOT_AVAILABLE|GEO_GATING_INVALID_COUNTRY_CODES/,
    ...REJECTED,
    advice: 'Threads does not offer this feature to the account.',
  },
  { subcode: 4279047, ...REJECTED, advice: 'Threads cannot show a preview of the link.' },
  {
    subcode: 4279013,
    ...DENIED,
    keepsAccount: true,
    advice: 'Threads has restricted the account: open the Threads app and follow its instructions.',
  },
  // While publishing, this answer has come for posts that went live.
  { subcode: 2207051, purpose: 'commit', ...LIMITED, waitMs: RESTRICTED_MS, outcomeUnknown: true },
  { subcode: 2207051, ...LIMITED, waitMs: RESTRICTED_MS },
  { code: 10, purpose: 'commit', ...DENIED, outcomeUnknown: true },
  {
    subcode: 2207052,
    kind: 'transient',
    failure: 'MEDIA_REJECTED',
    advice: 'Threads could not fetch the file: check that it is a JPEG, PNG, MP4 or MOV file.',
  },
  {
    message: /could not be fetched/i,
    kind: 'transient',
    failure: 'MEDIA_REJECTED',
    advice: 'Threads could not fetch the file.',
  },
  { code: 9, ...LIMITED, waitMs: HOUR },
];

/** True where Threads does not find a container: it is not visible yet, or lost although it was finished. */
export const isNotFound = (error: unknown) => isGraphError(error, 24, 4279009);

/** True where Threads does not know an object, or not everywhere yet. */
export const isMissing = (error: unknown): error is GraphFailure =>
  isNotFound(error) || isGraphError(error, 100, 33);

/** True where a node has no status: it is a published post and not a container. */
export const hasNoStatus = (error: unknown) =>
  isGraphError(error, 100) && /nonexisting field \(status\)/i.test(error.graph.message);

/** True where Threads refuses the length of the text. */
export const isTooLong = (error: unknown) => isGraphError(error, 100) && TOO_LONG.test(error.graph.message);

/** True where Threads could not fetch a file. */
export const isNotFetched = (error: unknown) =>
  error instanceof PlatformError && error.kind === 'transient' && error.code === 'MEDIA_REJECTED';

/** True for a refusal that has come for posts that went live all the same. */
export const isDoubtful = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  error.outcomeUnknown &&
  (error.kind === 'rejected' || error.kind === 'rate_limited');
