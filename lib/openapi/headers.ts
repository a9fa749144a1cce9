import type { Schema } from './schema.ts';

interface HeaderDoc {
  description: string;
  schema: Schema;
}

const integer: Schema = { type: 'integer' };

/** Response headers. */
export const HEADERS: Readonly<Record<string, HeaderDoc>> = {
  'X-Request-Id': {
    description: 'Id of the request: the one that was sent, or a new one. Quote it in error reports.',
    schema: { type: 'string' },
  },
  'RateLimit-Limit': { description: 'Requests per minute that the API key may send', schema: integer },
  'RateLimit-Remaining': { description: 'Requests that are left', schema: integer },
  'RateLimit-Reset': { description: 'Seconds until the limit is fully replenished', schema: integer },
  'Retry-After': { description: 'Seconds to wait before a retry', schema: integer },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-AI-Provider': {
    description:
      'Where the text was generated: Amazon Bedrock, an OpenAI-compatible API, or the built-in offline writer',
    schema: { type: 'string', enum: ['bedrock', 'openai', 'offline'] },
  },
  Location: {
    description: 'Path of the created resource, or redirect target',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'Authentication scheme to use',
    schema: { type: 'string' },
  },
};

export const headerRefs = (...names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
