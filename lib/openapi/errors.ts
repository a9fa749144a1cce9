import * as v from 'valibot';
import { PLANS } from '../../shared/model/workspace.ts';
import { schemaRef, toSchema, type Schema, type Schemas } from './json-schema.ts';

const seconds = (description: string) => v.pipe(v.number(), v.integer(), v.description(description));

const Detail = v.pipe(
  v.object({
    field: v.pipe(
      v.string(),
      v.description('Where the fault is: `description`, `media_urls[1]`, `[3].title`'),
    ),
    message: v.string(),
    platform: v.pipe(
      v.nullable(v.string()),
      v.description('The platform whose rule is broken; null where it is none’s'),
    ),
  }),
  v.title('Detail'),
);

const ServiceError = v.pipe(
  v.looseObject({
    error: v.pipe(v.string(), v.description('What is wrong, for people')),
    code: v.optional(
      v.pipe(v.string(), v.regex(/^[A-Z][A-Z0-9_]*$/), v.description('What is wrong, for programs; stable')),
    ),
  }),
  v.title('Error'),
  v.description('Most errors. Some carry more fields, which their `code` explains.'),
);

const ValidationError = v.pipe(
  v.object({ error: v.literal('Validation failed'), details: v.array(Detail) }),
  v.title('ValidationError'),
  v.description('Every fault of the request, not only the first.'),
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
    retry_after: seconds('Seconds until the key may ask again'),
  }),
  v.title('RateLimited'),
  v.description("The key's own rate is exceeded."),
);

const ServerError = v.pipe(
  v.object({ error: v.literal('Internal server error'), request_id: v.string() }),
  v.title('ServerError'),
);

const GatewayError = v.pipe(
  v.object({ message: v.string() }),
  v.title('GatewayError'),
  v.description('Written by the gateway before the service, when it is overloaded or gets no answer.'),
);

const SCHEMAS = {
  Detail,
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
  /** Of the shared response. */
  name: string;
  description: string;
  bodies: readonly (keyof typeof SCHEMAS)[];
  example: unknown;
}

/** What each status means and holds where a route does not say more. */
export const ERRORS: Readonly<Record<number, ErrorDoc>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is malformed or breaks a rule',
    bodies: ['ValidationError', 'Error'],
    example: {
      error: 'Validation failed',
      details: [
        {
          field: 'description',
          message: 'Is 301 graphemes long; Bluesky takes 300 (auto_truncate: true would cut it)',
          platform: 'bluesky',
        },
      ],
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'The key is missing, malformed, unknown or revoked',
    bodies: ['Unauthorized'],
    example: { error: 'Missing or invalid Authorization header' },
  },
  403: {
    name: 'Forbidden',
    description: 'The plan or the role does not allow it',
    bodies: ['PlanTooLow', 'Error'],
    example: {
      error: 'API access needs the starter plan or above',
      required_tier: 'starter',
      current_tier: 'free',
      upgrade_url: 'https://example.com/pricing',
    },
  },
  404: {
    name: 'NotFound',
    description: 'There is no such resource in this workspace',
    bodies: ['Error'],
    example: { error: 'Not found' },
  },
  409: {
    name: 'Conflict',
    description: 'The present state does not allow it',
    bodies: ['Error'],
    example: {
      error: 'A request with this Idempotency-Key is still running',
      code: 'IDEMPOTENCY_KEY_IN_USE',
    },
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is too large',
    bodies: ['BodyTooLarge', 'GatewayError'],
    example: { error: 'The body is larger than 1048576 bytes', code: 'BODY_TOO_LARGE', max_bytes: 1048576 },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is of another type',
    bodies: ['Error'],
    example: { error: 'The Content-Type must be application/json', code: 'UNSUPPORTED_MEDIA_TYPE' },
  },
  422: {
    name: 'IdempotencyKeyReused',
    description: 'The Idempotency-Key was used for another request',
    bodies: ['Error'],
    example: { error: 'This Idempotency-Key was used for another request', code: 'IDEMPOTENCY_KEY_REUSED' },
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too much at once; `Retry-After` says when to come again',
    bodies: ['RateLimited', 'Error', 'GatewayError'],
    example: { error: 'This key may make 60 requests a minute', code: 'RATE_LIMITED', retry_after: 1 },
  },
  500: {
    name: 'ServerError',
    description: 'A fault of the service; report it with the request id',
    bodies: ['ServerError', 'GatewayError'],
    example: { error: 'Internal server error', request_id: '018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d8e' },
  },
  503: {
    name: 'Unavailable',
    description: 'Something that is needed does not answer now; `Retry-After` says when to come again',
    bodies: ['Error', 'GatewayError'],
    example: { error: 'The platform does not answer', code: 'PLATFORM_UNAVAILABLE', retry_after: 60 },
  },
};

/** Adds the error schemas to those that have names. */
export function nameErrors(named: Schemas): void {
  for (const schema of Object.values(SCHEMAS)) toSchema(schema, 'output', named);
}

/** The schema of an error status: what a route says of it, or what all have. */
export function errorSchema(status: number, own: Schema | null): Schema {
  const common = (ERRORS[status]?.bodies ?? ['Error']).map(schemaRef);
  const all = own ? [own, ...common] : common;
  const [only] = all;
  return all.length === 1 && only ? only : { anyOf: all };
}
