import * as v from 'valibot';
import { parseJson } from '../../model/json.ts';
import type { FailureCode } from '../../model/failure.ts';
import type { HttpResponse } from '../../net/http.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** What kind of call was refused: the same words mean different things. */
export type Purpose = 'read' | 'media' | 'create';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** The forms in which X words a refusal: problem object, old error list, OAuth error. */
const ProblemSchema = v.object({
  type: v.optional(v.string(), ''),
  title: v.optional(v.string(), ''),
  detail: v.optional(v.string(), ''),
  period: v.optional(v.string(), ''),
  error: v.optional(v.string(), ''),
  error_description: v.optional(v.string(), ''),
  errors: v.optional(
    v.array(v.object({ message: v.optional(v.string(), ''), detail: v.optional(v.string(), '') })),
    [],
  ),
});

export interface Refusal {
  status: number;
  purpose: Purpose;
  /** Last part of the problem's URI: hosts and paths before it have changed more than once. */
  type: string;
  title: string;
  period: string;
  /** OAuth error name. */
  error: string;
  /** X's own words. */
  words: string;
  /** False for an empty body or a proxy's page. */
  isJson: boolean;
}

export function readRefusal(response: HttpResponse, purpose: Purpose): Refusal {
  const parsed = v.safeParse(ProblemSchema, parseJson(response.body.toString('utf8')));
  const problem = parsed.success ? parsed.output : v.parse(ProblemSchema, {});
  const listed = problem.errors.map(({ message, detail }) => message || detail).filter(Boolean);
  const words = [...new Set([problem.detail || problem.error_description, ...listed])].filter(Boolean);
  return {
    status: response.status,
    purpose,
    type: problem.type.split(/[/#]/).at(-1) ?? '',
    title: problem.title,
    period: problem.period,
    error: problem.error,
    words: words.join('; ') || problem.title,
    isJson: parsed.success,
  };
}

interface Row {
  status?: number;
  purpose?: Purpose;
  type?: string;
  words?: RegExp;
  when?: (refusal: Refusal) => boolean;
  kind: PlatformErrorKind;
  code: FailureCode;
}

/** First match wins. */
const TABLE: readonly Row[] = [
  { when: ({ status }) => status >= 500 || status === 408, kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
  { status: 401, kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  { status: 402, kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
  {
    status: 429,
    when: refusal => isCapped(refusal) && !/^daily$/i.test(refusal.period),
    kind: 'rejected',
    code: 'QUOTA_EXHAUSTED',
  },
  { status: 429, kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
  { status: 403, words: /duplicate content/i, kind: 'rejected', code: 'DUPLICATE_REJECTED' },
  { status: 403, type: 'unsupported-authentication', kind: 'token_expired', code: 'TOKEN_EXPIRED' },
  { status: 403, type: 'client-forbidden', kind: 'rejected', code: 'QUOTA_EXHAUSTED' },
  { status: 403, type: 'user-suspended', kind: 'rejected', code: 'PERMISSION_MISSING' },
  { status: 403, words: /suspended|locked/i, kind: 'rejected', code: 'PERMISSION_MISSING' },
  { status: 403, purpose: 'media', words: /^forbidden$/i, kind: 'rejected', code: 'PERMISSION_MISSING' },
  { words: /media ids? .*invalid|video longer than/i, kind: 'rejected', code: 'MEDIA_REJECTED' },
  { purpose: 'media', kind: 'rejected', code: 'MEDIA_REJECTED' },
  { kind: 'rejected', code: 'CONTENT_REJECTED' },
];

function matches(row: Row, refusal: Refusal): boolean {
  return (
    (row.status === undefined || row.status === refusal.status) &&
    (row.purpose === undefined || row.purpose === refusal.purpose) &&
    (row.type === undefined || row.type === refusal.type) &&
    (row.words?.test(refusal.words) ?? true) &&
    (row.when?.(refusal) ?? true)
  );
}

/** Says what an answer that is no success means. `now` is epoch milliseconds. */
export function refusalError(
  response: HttpResponse,
  purpose: Purpose,
  what: string,
  now: number,
): PlatformError {
  const refusal = readRefusal(response, purpose);
  const { kind, code } = TABLE.find(row => matches(row, refusal)) ?? { kind: 'rejected', code: 'INTERNAL' };
  return new PlatformError({
    kind,
    code,
    message: `${what}: ${refusal.words || `X answered ${response.status}`}`,
    retryAfterMs: kind === 'rate_limited' ? waitMs(response.headers, refusal, now) : undefined,
    outcomeUnknown: response.status >= 500,
  });
}

/** A monthly or daily cap of the app, which shows beside a window limit that is far from used up. */
function isCapped({ type, title }: Refusal): boolean {
  return type === 'usage-capped' || title === 'UsageCapExceeded';
}

const WINDOWS = ['x-rate-limit', 'x-app-limit-24hour', 'x-user-limit-24hour'];
const SHORTEST_WAIT = MINUTE;
const WAIT_WITHOUT_WORD = 15 * MINUTE;

/** Until the last of the used-up windows opens again. */
function waitMs(headers: HttpResponse['headers'], refusal: Refusal, now: number): number {
  if (isCapped(refusal)) return DAY;
  const waits = WINDOWS.filter(name => !(Number(headers[`${name}-remaining`] ?? 0) > 0))
    .map(name => Number(headers[`${name}-reset`]) * SECOND - now)
    .filter(wait => !Number.isNaN(wait));
  const retryAfter = Number(headers['retry-after']) * SECOND;
  if (waits.length > 0) return Math.max(SHORTEST_WAIT, ...waits);
  return Number.isNaN(retryAfter) ? WAIT_WITHOUT_WORD : Math.max(SHORTEST_WAIT, retryAfter);
}
