import type { ErrorCode } from '../../shared/http/error-codes.ts';
import type { ERROR_SCHEMAS } from './error-schemas.ts';

/** An error that many routes may answer: one shared response of the document. */
export interface CommonError {
  status: number;
  description: string;
  /** Bodies of their own kinds. */
  bodies: readonly (keyof typeof ERROR_SCHEMAS)[];
  /** Codes of bodies `{error, code}`. */
  codes: readonly ErrorCode[];
  /** Example of a body without a code. */
  example?: unknown;
  headers: readonly string[];
}

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const HEADERS = ['X-Request-Id', ...RATE_HEADERS];

const VALIDATION_EXAMPLE = {
  error: 'Validation failed',
  details: [
    {
      field: 'description',
      message: 'description has 301 graphemes; Bluesky allows 300',
      platform: 'bluesky',
    },
  ],
};

export const COMMON_ERRORS = {
  BadRequest: {
    status: 400,
    description: 'The request is malformed or invalid',
    bodies: ['ValidationError'],
    codes: ['INVALID_UTF8'],
    example: VALIDATION_EXAMPLE,
    headers: HEADERS,
  },
  InvalidParameters: {
    status: 400,
    description: 'A parameter or header is invalid',
    bodies: ['ValidationError'],
    codes: [],
    example: {
      error: 'Validation failed',
      details: [{ field: 'limit', message: 'Must be a whole number from 1 to 100', platform: null }],
    },
    headers: HEADERS,
  },
  Unauthorized: {
    status: 401,
    description: 'The API key is missing, malformed, unknown, expired or revoked',
    bodies: ['UnauthorizedError'],
    codes: [],
    example: { error: 'Missing or invalid Authorization header' },
    headers: ['X-Request-Id', 'WWW-Authenticate'],
  },
  Forbidden: {
    status: 403,
    description:
      'The plan, the role of the caller, or the restrictions of the API key do not allow the request',
    bodies: ['PlanTooLow'],
    codes: ['KEY_SCOPE'],
    example: {
      error: 'API access requires the starter plan or above',
      required_tier: 'starter',
      current_tier: 'free',
      upgrade_url: 'https://example.com/pricing',
    },
    headers: HEADERS,
  },
  NotFound: {
    status: 404,
    description: 'The workspace has no such resource',
    bodies: ['ServiceError'],
    codes: [],
    example: { error: 'Not found' },
    headers: HEADERS,
  },
  IdempotencyKeyInUse: {
    status: 409,
    description: 'A request with the same Idempotency-Key is still running',
    bodies: [],
    codes: ['IDEMPOTENCY_KEY_IN_USE'],
    headers: HEADERS,
  },
  ContentTooLarge: {
    status: 413,
    description: 'The request body is too large',
    bodies: ['BodyTooLarge', 'GatewayError'],
    codes: [],
    example: {
      error: 'The request body exceeds 1048576 bytes',
      code: 'BODY_TOO_LARGE',
      max_bytes: 1_048_576,
    },
    headers: HEADERS,
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The content type of the request body is not supported',
    bodies: [],
    codes: ['UNSUPPORTED_MEDIA_TYPE'],
    headers: HEADERS,
  },
  IdempotencyKeyReused: {
    status: 422,
    description: 'The Idempotency-Key was used for a different request',
    bodies: [],
    codes: ['IDEMPOTENCY_KEY_REUSED'],
    headers: HEADERS,
  },
  TooManyRequests: {
    status: 429,
    description: 'A rate limit is exceeded; retry after `Retry-After` seconds',
    bodies: ['RateLimited', 'GatewayError'],
    codes: [],
    example: {
      error: 'This API key may send 60 requests per minute; retry after 1 s',
      code: 'RATE_LIMITED',
      retry_after: 1,
    },
    headers: ['X-Request-Id', 'Retry-After', ...RATE_HEADERS],
  },
  ServerFailure: {
    status: 500,
    description: 'A server error; report it with the request id',
    bodies: ['ServerError', 'GatewayError'],
    codes: [],
    example: { error: 'Internal server error', request_id: '018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d8e' },
    headers: ['X-Request-Id'],
  },
  Unavailable: {
    status: 503,
    description: 'The service is unavailable; retry after `Retry-After` seconds',
    bodies: ['GatewayError'],
    codes: [],
    example: { message: 'Service Unavailable' },
    headers: ['X-Request-Id', 'Retry-After'],
  },
} as const satisfies Readonly<Record<string, CommonError>>;

export type CommonErrorName = keyof typeof COMMON_ERRORS;
