import type { Schema } from './json-schema.ts';

interface HeaderDoc {
  description: string;
  schema: Schema;
}

const integer: Schema = { type: 'integer' };

/** Headers of answers. */
export const HEADERS: Readonly<Record<string, HeaderDoc>> = {
  'X-Request-Id': {
    description: 'Names the request: the one that was sent, or a new one. Tell it when you report a fault.',
    schema: { type: 'string' },
  },
  'RateLimit-Limit': { description: 'Requests that the key may make in a minute', schema: integer },
  'RateLimit-Remaining': { description: 'Requests that are left at this moment', schema: integer },
  'RateLimit-Reset': { description: 'Seconds until all requests are left again', schema: integer },
  'Retry-After': { description: 'Seconds until it makes sense to ask again', schema: integer },
  'Idempotent-Replayed': {
    description: '`true` where the answer is that of an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-AI-Provider': {
    description: 'Who wrote: a model of Amazon Bedrock, one behind another API, or the built-in writer',
    schema: { type: 'string', enum: ['bedrock', 'openai', 'offline'] },
  },
  Location: {
    description: 'Where the created resource is, or where the browser goes',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'The scheme that the Authorization header must use',
    schema: { type: 'string' },
  },
};

export const headerRefs = (...names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
