import type { Plan } from '../model/workspace.ts';

/** An answer of the API: a JSON `body`, or `raw` bytes whose type a header tells, or neither (204). */
export interface ApiResponse {
  status: number;
  body?: unknown;
  raw?: Uint8Array;
  headers?: Record<string, string>;
}

/** One fault of a request. `platform` is null where it is none's. */
export interface Detail {
  field: string;
  message: string;
  platform: string | null;
}

/** Name of a field in an object of a batch: `[3].title`, `[3]` for the object itself. */
export const place = (index: number, field: string) => `[${index}]${field === '' ? '' : `.${field}`}`;

/** An answer that is thrown. Only `serve` turns it into a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly response: ApiResponse;
  constructor(response: ApiResponse) {
    super(`Answers ${response.status}`);
    this.response = response;
  }
}

/** Most faults that one answer names: an answer has to pass through Lambda, which takes 6 MB. */
const MOST_FAULTS = 1000;

/**
 * 400 with every fault of the request; of more than a thousand the rest is counted. `beside` is what the answer holds
 * beside them.
 */
export const validationFailed = (details: readonly Detail[], beside: Record<string, unknown> = {}) =>
  new ApiError({ status: 400, body: { error: 'Validation failed', details: shortened(details), ...beside } });

function shortened(details: readonly Detail[]): readonly Detail[] {
  const rest = details.length - MOST_FAULTS;
  if (rest <= 0) return details;
  return [
    ...details.slice(0, MOST_FAULTS),
    { field: 'body', message: `Has ${rest} more faults`, platform: null },
  ];
}

export const malformedJson = () => new ApiError({ status: 400, body: { error: 'Malformed JSON body' } });

export const unauthorized = () =>
  new ApiError({
    status: 401,
    body: { error: 'Missing or invalid Authorization header' },
    headers: { 'www-authenticate': 'Bearer' },
  });

/** 403 for a plan that is too low. */
export const planTooLow = (what: string, required: Plan, current: Plan, upgradeUrl: string) =>
  new ApiError({
    status: 403,
    body: {
      error: `${what} needs the ${required} plan or above`,
      required_tier: required,
      current_tier: current,
      upgrade_url: upgradeUrl,
    },
  });

export const forbidden = (error: string) => new ApiError({ status: 403, body: { error } });

/** 404, also for everything that belongs to another workspace. */
export const notFound = (what?: string) =>
  new ApiError({ status: 404, body: { error: what ? `${what} not found` : 'Not found' } });

/** `code` is left out where the specification shows a body without one. */
export const conflict = (error: string, extra: Record<string, unknown> = {}) =>
  new ApiError({ status: 409, body: { error, ...extra } });

export const methodNotAllowed = (allow: readonly string[]) =>
  new ApiError({
    status: 405,
    body: { error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' },
    headers: { allow: allow.join(', ') },
  });

export const unsupportedMediaType = (expected: string) =>
  new ApiError({
    status: 415,
    body: { error: `The Content-Type must be ${expected}`, code: 'UNSUPPORTED_MEDIA_TYPE' },
  });

export const bodyTooLarge = (maxBytes: number) =>
  new ApiError({
    status: 413,
    body: { error: `The body is larger than ${maxBytes} bytes`, code: 'BODY_TOO_LARGE', max_bytes: maxBytes },
  });

/** 429 of the service's own rate limit. */
export const tooManyRequests = (error: string, retryAfterS: number) =>
  new ApiError({
    status: 429,
    body: { error, code: 'RATE_LIMITED', retry_after: retryAfterS },
    headers: { 'retry-after': String(retryAfterS) },
  });
