import * as v from 'valibot';
import { ERROR_CODES, type ErrorCode } from '../../shared/http/error-codes.ts';
import { PLANS } from '../../shared/model/workspace.ts';
import type { Schema } from './schema.ts';

const ValidationDetail = v.pipe(
  v.object({
    field: v.string(),
    message: v.string(),
    platform: v.pipe(v.nullable(v.string()), v.description('The platform whose rule is violated, or null')),
  }),
  v.title('ValidationDetail'),
);

const error = v.pipe(v.string(), v.description('Message for people'));

const ServiceError = v.pipe(
  v.looseObject({ error }),
  v.title('ServiceError'),
  v.description('An error without a code.'),
);

const ValidationError = v.pipe(
  v.object({ error: v.literal('Validation failed'), details: v.array(ValidationDetail) }),
  v.title('ValidationError'),
  v.description('Lists every validation error of the request.'),
);

const Unauthorized = v.pipe(
  v.object({ error: v.literal('Missing or invalid Authorization header') }),
  v.title('UnauthorizedError'),
  v.description('The API key is missing or not valid.'),
);

const PlanTooLow = v.pipe(
  v.object({
    error,
    required_tier: v.picklist(PLANS),
    current_tier: v.picklist(PLANS),
    upgrade_url: v.string(),
  }),
  v.title('PlanTooLow'),
);

const docs_url = v.optional(
  v.pipe(v.string(), v.url(), v.description('Where cause and remedy of the code are documented')),
);

const BodyTooLarge = v.pipe(
  v.object({
    error,
    code: v.pipe(v.literal('BODY_TOO_LARGE'), v.description(ERROR_CODES.BODY_TOO_LARGE.cause)),
    max_bytes: v.pipe(v.number(), v.integer()),
    presign_endpoint: v.optional(v.string()),
    message: v.pipe(
      v.optional(v.string()),
      v.description('What the gateway says about a body that it does not pass on'),
    ),
    docs_url,
  }),
  v.title('BodyTooLarge'),
);

const RateLimited = v.pipe(
  v.object({
    error,
    code: v.pipe(v.literal('RATE_LIMITED'), v.description(ERROR_CODES.RATE_LIMITED.cause)),
    retry_after: v.pipe(v.number(), v.integer(), v.description('Seconds until the next request is accepted')),
    docs_url,
  }),
  v.title('RateLimited'),
  v.description('The rate limit of the API key is exceeded.'),
);

const ServerError = v.pipe(
  v.object({ error: v.literal('Internal server error'), request_id: v.string() }),
  v.title('ServerError'),
);

const GatewayError = v.pipe(
  v.object({ message: v.pipe(v.string(), v.description('What the gateway says')) }),
  v.title('GatewayError'),
  v.description('Sent by the API gateway when it is overloaded or gets no response from the service.'),
);

/** Error bodies that several operations share. */
export const ERROR_SCHEMAS = {
  ValidationDetail,
  ServiceError,
  ValidationError,
  UnauthorizedError: Unauthorized,
  PlanTooLow,
  BodyTooLarge,
  RateLimited,
  ServerError,
  GatewayError,
};

/** Returns the schema of an error body with one of these codes. Some codes come with additional fields. */
export function bodySchema(codes: readonly ErrorCode[]): Schema {
  const causes = codes.map(code => `\`${code}\`: ${ERROR_CODES[code].cause}`);
  return {
    type: 'object',
    description: 'An error. Some codes come with additional fields.',
    properties: {
      error: { type: 'string', description: 'Message for people' },
      code: { type: 'string', enum: codes, description: causes.join('\n\n') },
      docs_url: {
        type: 'string',
        format: 'uri',
        description: 'Where cause and remedy of the code are documented',
      },
    },
    required: ['error'],
    additionalProperties: true,
  };
}
