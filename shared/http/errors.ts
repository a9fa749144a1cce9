import type { Plan } from '../model/workspace.ts';

/** A response of the API: a JSON `body`, or `raw` bytes with a content-type header, or neither (204). */
export interface ApiResponse {
  status: number;
  body?: unknown;
  raw?: Uint8Array;
  headers?: Readonly<Record<string, string>>;
}

/** One validation error of a request. `platform` is null unless the rule is a platform's. */
export interface ValidationDetail {
  field: string;
  message: string;
  platform: string | null;
}

/** Field path in an item of a batch: `[3].title`, or `[3]` for the item itself. */
export const batchFieldPath = (index: number, field: string) =>
  `[${index}]${field === '' ? '' : `.${field}`}`;

/** A response that is thrown. Only the error middleware turns it into an HTTP response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly response: ApiResponse;
  constructor(response: ApiResponse) {
    super(`HTTP ${response.status}`);
    this.response = response;
  }
}

/** Keeps the response below the 6 MB that a Lambda function may return. */
const MAX_DETAILS = 1000;

/** 400 with every validation error of the request; beyond 1,000 the rest are counted. `extra` is added to the body. */
export const validationFailed = (
  details: readonly ValidationDetail[],
  extra: Readonly<Record<string, unknown>> = {},
) =>
  new ApiError({ status: 400, body: { error: 'Validation failed', details: truncated(details), ...extra } });

function truncated(details: readonly ValidationDetail[]): readonly ValidationDetail[] {
  const omitted = details.length - MAX_DETAILS;
  if (omitted <= 0) return details;
  return [
    ...details.slice(0, MAX_DETAILS),
    { field: 'body', message: `${omitted} more errors are not listed`, platform: null },
  ];
}

export const malformedJson = () => new ApiError({ status: 400, body: { error: 'Malformed JSON body' } });

export const invalidUtf8 = () =>
  new ApiError({
    status: 400,
    body: {
      error:
        'The request body is not valid UTF-8, or contains U+FFFD, which JSON can contain as \\ufffd only',
      code: 'INVALID_UTF8',
    },
  });

export const unauthorized = () =>
  new ApiError({
    status: 401,
    body: { error: 'Missing or invalid Authorization header' },
    headers: { 'www-authenticate': 'Bearer' },
  });

/** 403 because the workspace's plan does not include `feature`. */
export const planTooLow = (feature: string, required: Plan, current: Plan, upgradeUrl: string) =>
  new ApiError({
    status: 403,
    body: {
      error: `${feature} requires the ${required} plan or above`,
      required_tier: required,
      current_tier: current,
      upgrade_url: upgradeUrl,
    },
  });

/** `extra` holds the `code`, except where the interface specification shows a body without one. */
export const forbidden = (error: string, extra: Readonly<Record<string, unknown>> = {}) =>
  new ApiError({ status: 403, body: { error, ...extra } });

/** 403 because a file does not fit into the storage of the plan. */
export const storageLimitExceeded = (limit: number, used: number) =>
  forbidden(`Storage limit reached: ${used} of ${limit} bytes are in use; delete files or upgrade the plan`, {
    code: 'STORAGE_LIMIT',
    limit,
    used,
  });

/** 404, also for resources of another workspace. */
export const notFound = (resource?: string) =>
  new ApiError({ status: 404, body: { error: resource ? `${resource} not found` : 'Not found' } });

/** `extra` holds the `code`, except where the interface specification shows a body without one. */
export const conflict = (error: string, extra: Readonly<Record<string, unknown>> = {}) =>
  new ApiError({ status: 409, body: { error, ...extra } });

export const methodNotAllowed = (allowed: readonly string[]) =>
  new ApiError({
    status: 405,
    body: { error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' },
    headers: { allow: allowed.join(', ') },
  });

export const unsupportedMediaType = (expected: string) =>
  new ApiError({
    status: 415,
    body: { error: `Content-Type must be ${expected}`, code: 'UNSUPPORTED_MEDIA_TYPE' },
  });

export const bodyTooLarge = (maxBytes: number) =>
  new ApiError({
    status: 413,
    body: {
      error: `The request body exceeds ${maxBytes} bytes`,
      code: 'BODY_TOO_LARGE',
      max_bytes: maxBytes,
    },
  });

/** 429 of the service's own rate limit. */
export const tooManyRequests = (error: string, retryAfterS: number) =>
  new ApiError({
    status: 429,
    body: { error, code: 'RATE_LIMITED', retry_after: retryAfterS },
    headers: { 'retry-after': String(retryAfterS) },
  });
