import * as v from 'valibot';
import { PLANS } from '../../shared/model/workspace.ts';
import { schemaRef, toSchema, type Schema, type Schemas } from './json-schema.ts';

const seconds = (description: string) => v.pipe(v.number(), v.integer(), v.description(description));

const ValidationDetail = v.pipe(
  v.object({
    field: v.pipe(v.string(), v.description('Field path: `description`, `media_urls[1]`, `[3].title`')),
    message: v.string(),
    platform: v.pipe(v.nullable(v.string()), v.description('The platform whose rule is violated, or null')),
  }),
  v.title('ValidationDetail'),
);

const ServiceError = v.pipe(
  v.looseObject({
    error: v.pipe(v.string(), v.description('Message for people')),
    code: v.optional(
      v.pipe(v.string(), v.regex(/^[A-Z][A-Z0-9_]*$/), v.description('Stable code for programs')),
    ),
  }),
  v.title('Error'),
  v.description('Most errors. Some codes come with additional fields.'),
);

const ValidationError = v.pipe(
  v.object({ error: v.literal('Validation failed'), details: v.array(ValidationDetail) }),
  v.title('ValidationError'),
  v.description('Lists every validation error of the request.'),
);

const Unauthorized = v.pipe(
  v.object({ error: v.literal('Missing or invalid Authorization header') }),
  v.title('Unauthorized'),
);

const PlanTooLow = v.pipe(
  v.object({
    error: v.string(),
    required_tier: v.picklist(PLANS),
    current_tier: v.picklist(PLANS),
    upgrade_url: v.string(),
  }),
  v.title('PlanTooLow'),
);

const BodyTooLarge = v.pipe(
  v.looseObject({
    error: v.string(),
    code: v.literal('BODY_TOO_LARGE'),
    max_bytes: v.pipe(v.number(), v.integer()),
    presign_endpoint: v.optional(v.string()),
  }),
  v.title('BodyTooLarge'),
);

const RateLimited = v.pipe(
  v.object({
    error: v.string(),
    code: v.literal('RATE_LIMITED'),
    retry_after: seconds('Seconds until the next request is accepted'),
  }),
  v.title('RateLimited'),
  v.description('The rate limit of the API key is exceeded.'),
);

const ServerError = v.pipe(
  v.object({ error: v.literal('Internal server error'), request_id: v.string() }),
  v.title('ServerError'),
);

const GatewayError = v.pipe(
  v.object({ message: v.string() }),
  v.title('GatewayError'),
  v.description('Sent by the API gateway when it is overloaded or gets no response from the service.'),
);

const SCHEMAS = {
  ValidationDetail,
  Error: ServiceError,
  ValidationError,
  Unauthorized,
  PlanTooLow,
  BodyTooLarge,
  RateLimited,
  ServerError,
  GatewayError,
};

export interface ErrorDoc {
  /** Name of the shared response. */
  name: string;
  description: string;
  bodies: readonly (keyof typeof SCHEMAS)[];
  example: unknown;
}

/** Description and bodies of each error status where a route does not document its own. */
export const ERRORS: Readonly<Record<number, ErrorDoc>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is malformed or invalid',
    bodies: ['ValidationError', 'Error'],
    example: {
      error: 'Validation failed',
      details: [
        {
          field: 'description',
          message: 'description has 301 graphemes; Bluesky allows 300',
          platform: 'bluesky',
        },
      ],
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'The API key is missing, malformed, unknown, expired or revoked',
    bodies: ['Unauthorized'],
    example: { error: 'Missing or invalid Authorization header' },
  },
  403: {
    name: 'Forbidden',
    description:
      'The plan, the role of the caller, or the restrictions of the API key (`KEY_SCOPE`) do not allow the request',
    bodies: ['PlanTooLow', 'Error'],
    example: {
      error: 'API access requires the starter plan or above',
      required_tier: 'starter',
      current_tier: 'free',
      upgrade_url: 'https://example.com/pricing',
    },
  },
  404: {
    name: 'NotFound',
    description: 'The workspace has no such resource',
    bodies: ['Error'],
    example: { error: 'Not found' },
  },
  409: {
    name: 'Conflict',
    description: 'The current state of the resource does not allow the request',
    bodies: ['Error'],
    example: {
      error: 'A request with this Idempotency-Key is still running; retry later',
      code: 'IDEMPOTENCY_KEY_IN_USE',
    },
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The request body is too large',
    bodies: ['BodyTooLarge', 'GatewayError'],
    example: { error: 'The request body exceeds 1048576 bytes', code: 'BODY_TOO_LARGE', max_bytes: 1048576 },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The content type of the request body is not supported',
    bodies: ['Error'],
    example: { error: 'Content-Type must be application/json', code: 'UNSUPPORTED_MEDIA_TYPE' },
  },
  422: {
    name: 'IdempotencyKeyReused',
    description: 'The Idempotency-Key was used for a different request',
    bodies: ['Error'],
    example: {
      error: 'This Idempotency-Key was already used for a different request; use a new key',
      code: 'IDEMPOTENCY_KEY_REUSED',
    },
  },
  429: {
    name: 'TooManyRequests',
    description: 'A rate limit is exceeded; retry after `Retry-After` seconds',
    bodies: ['RateLimited', 'Error', 'GatewayError'],
    example: {
      error: 'This API key may send 60 requests per minute; retry after 1 s',
      code: 'RATE_LIMITED',
      retry_after: 1,
    },
  },
  500: {
    name: 'ServerError',
    description: 'A server error; report it with the request id',
    bodies: ['ServerError', 'GatewayError'],
    example: { error: 'Internal server error', request_id: '018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d8e' },
  },
  503: {
    name: 'Unavailable',
    description: 'A dependency is unavailable; retry after `Retry-After` seconds',
    bodies: ['Error', 'GatewayError'],
    example: { error: 'The platform is not responding', code: 'PLATFORM_UNAVAILABLE', retry_after: 60 },
  },
};

/** Adds the error schemas to the named schemas. */
export function nameErrors(named: Schemas): void {
  for (const schema of Object.values(SCHEMAS)) toSchema(schema, 'output', named);
}

/** Returns the schema of an error status: the one of the route, if any, and the shared ones. */
export function errorSchema(status: number, own: Schema | null): Schema {
  const common = (ERRORS[status]?.bodies ?? ['Error']).map(schemaRef);
  const all = own ? [own, ...common] : common;
  const [only] = all;
  return all.length === 1 && only ? only : { anyOf: all };
}
