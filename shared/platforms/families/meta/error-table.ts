import { HOUR } from '../../../time/instant.ts';
import type { ErrorRow } from './error-row.ts';

/** Wait where a limit names no time. */
const LIMIT_MS = HOUR;
/** Less than a day, so that the retry is still within a destination's budget: it is the only one. */
const BLOCKED_MS = 23 * HOUR;

const RECONNECT = { kind: 'token_expired', failure: 'TOKEN_EXPIRED' } as const;
const DENIED = { kind: 'rejected', failure: 'PERMISSION_MISSING' } as const;
const LIMITED = { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT' } as const;
const REJECTED = { kind: 'rejected', failure: 'CONTENT_REJECTED' } as const;
const MEDIA = { kind: 'rejected', failure: 'MEDIA_REJECTED' } as const;
const OUR_FAULT = { kind: 'rejected', failure: 'INTERNAL' } as const;
const UNAVAILABLE = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE', outcomeUnknown: true } as const;

const BUSINESS_LIMITS = [80000, 80001, 80002, 80003, 80004, 80005, 80006, 80008, 80009, 80014];

/**
 * Errors that all Graph APIs of Meta share.
 *
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
export const GENERAL_ERRORS: readonly ErrorRow[] = [
  // Also the answer to a call that will never succeed.
  { code: 1, ...UNAVAILABLE, retries: 2 },
  { code: 2, ...UNAVAILABLE },
  {
    code: 3,
    ...DENIED,
    keepsAccount: true,
    advice: 'The app lacks this capability: the operator must request it from Meta.',
  },
  { code: [4, 17, 32, 341, 613, ...BUSINESS_LIMITS], ...LIMITED, waitMs: LIMIT_MS, acceptsPosts: true },
  {
    code: 368,
    message: /already (?:been )?(?:posted|shared)|duplicate/i,
    kind: 'rejected',
    failure: 'DUPLICATE_REJECTED',
  },
  { code: 368, ...LIMITED, waitMs: BLOCKED_MS },
  { code: 389, kind: 'transient', failure: 'MEDIA_REJECTED' },
  { code: 506, kind: 'rejected', failure: 'DUPLICATE_REJECTED' },
  { code: [1500, 1609005], ...REJECTED, advice: 'Check the link in the text.' },
  { code: 104, ...OUR_FAULT },
  { code: 2500, message: /access token/i, ...RECONNECT },
  { code: 2500, ...OUR_FAULT, advice: 'The operator must check graph_version of the app.' },
  { code: 3001, ...OUR_FAULT },
  { code: 102, ...RECONNECT },
  {
    code: 190,
    subcode: 459,
    ...RECONNECT,
    advice: 'Log in at facebook.com, complete the security check there, then reconnect the account.',
  },
  {
    code: 190,
    subcode: 458,
    ...RECONNECT,
    advice: 'The app was removed from the account: connect it again.',
  },
  { code: 190, subcode: 460, ...RECONNECT, advice: 'The password was changed: reconnect the account.' },
  {
    code: 190,
    subcode: 464,
    ...RECONNECT,
    advice: 'Confirm the account at facebook.com, then reconnect it.',
  },
  {
    code: 190,
    subcode: 492,
    ...RECONNECT,
    advice: 'The user may have lost the role on the Page: restore it, then reconnect the account.',
  },
  { code: 190, ...RECONNECT },
  { code: 210, ...REJECTED },
  { code: 10, ...DENIED },
  { code: 200, subcode: 1609008, ...REJECTED, advice: 'Links to facebook.com cannot be shared by the API.' },
  { codes: [200, 299], ...DENIED },
  { code: 324, ...OUR_FAULT },
  { code: 382, ...MEDIA },
  { code: [6000, 6001], kind: 'transient', failure: 'MEDIA_REJECTED' },
  { code: 100, subcode: 33, ...DENIED, advice: 'The object is gone, or the account cannot see it any more.' },
  { code: 100, message: /appsecret_proof/i, ...OUR_FAULT, advice: 'The operator must check the app secret.' },
];
