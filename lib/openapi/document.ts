import type { Route } from '../../shared/http/route.ts';
import { nameErrors } from './errors.ts';
import { HEADERS } from './headers.ts';
import type { Schemas } from './json-schema.ts';
import { commonResponses, pathsOf, type Operation, type ResponseObject } from './operation.ts';
import { TAGS } from './tags.ts';
import { webhooksOf } from './webhooks.ts';

export interface OpenApiDocument {
  openapi: '3.0.3';
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  'x-webhooks': Record<string, unknown>;
  components: {
    schemas: Schemas;
    responses: Record<string, ResponseObject>;
    parameters: Record<string, unknown>;
    headers: Record<string, unknown>;
    securitySchemes: Record<string, unknown>;
  };
}

const DESCRIPTION = `
One request publishes text, images, videos or documents to many social platforms: now, at a time, or into a queue.

**Base.** All paths are below \`/v1\`; the same API answers below \`/api/v1\`.

**Keys.** Every request carries \`Authorization: Bearer <key>\`. A key acts as one user of one workspace; what belongs to
another workspace does not exist for it (404).

**Times** are ISO 8601 in UTC with milliseconds. **Ids** are UUIDs. Optional values that are absent are \`null\`.

**Errors** are \`{error}\` with a stable \`code\` where programs may care. A 400 names every fault of the request at once.

**Repetition.** Every POST that creates takes an \`Idempotency-Key\`: send a random one, and repeat the request with it
until there is an answer. The same key and body get the first answer again for 24 hours.

**Limits.** Starter 60, Pro 120, Business 600, Enterprise 1200 requests a minute for each key, as many of them at once.
The \`RateLimit-*\` headers tell what is left.

**Lists** that can grow come in pages: pass \`next_cursor\` as \`cursor\`, with the same filters, until it is null.
`.trim();

/** The description of the whole API, made from the routes that serve it. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const schemas: Schemas = {};
  nameErrors(schemas);
  const paths = pathsOf(routes, schemas);
  const webhooks = webhooksOf(schemas);
  const used = new Set(routes.map(route => route.tag));
  return {
    openapi: '3.0.3',
    info: {
      title: 'Social publishing service',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [
      { url: '/v1', description: 'This deployment' },
      { url: '/api/v1', description: 'The same, where development tools expect it' },
    ],
    security: [{ ApiKey: [] }],
    tags: TAGS.filter(({ name }) => used.has(name)),
    paths,
    'x-webhooks': webhooks,
    components: {
      schemas: sorted(schemas),
      responses: commonResponses(),
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'Any text that names this request and no other, a UUID for example',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
          example: '2f1c3f0e-9f3b-4d3f-8a53-6b1f6f0f4a55',
        },
      },
      headers: HEADERS,
      securitySchemes: {
        ApiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `sps_` and 40 letters and digits. It is shown once, when it is made.',
        },
      },
    },
  };
}

const sorted = (schemas: Schemas): Schemas =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
