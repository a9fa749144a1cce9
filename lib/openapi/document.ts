import type { Route } from '../../shared/http/route.ts';
import { commonResponses, nameErrors } from './errors.ts';
import { HEADERS } from './headers.ts';
import type { Schemas } from './schema.ts';
import { pathsOf, type Operation } from './operation.ts';
import type { ResponseObject } from './media.ts';
import { TAGS } from './tags.ts';
import { webhooksOf } from './webhooks.ts';

export interface OpenApiDocument {
  openapi: '3.0.3';
  info: { title: string; version: string; description: string; license: { name: string; url: string } };
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
Publish text, images, videos and documents to many social platforms with one request: immediately, at a scheduled time,
in the next queue slot, or at the best time.

**Base URL.** All paths are relative to \`/v1\`. The same API is available under \`/api/v1\`.

**Authentication.** Send \`Authorization: Bearer <key>\` with every request. A key acts as one user of one workspace.
Resources of other workspaces answer 404.

**Formats.** Times are ISO 8601 in UTC with milliseconds. Ids are UUIDs. Absent optional values are \`null\`.

**Errors.** The body is \`{error}\`, with a stable \`code\` where programs may need one; \`docs_url\` leads to its cause and
remedy. A 400 lists every validation error of the request.

**Unknown fields** of a body are ignored and reported in \`warnings\`, except where a misspelled field could publish at the
wrong time or place or grant rights: those answer 400. \`Prefer: handling=strict\` or \`?strict=true\` refuses all of them.
Unknown query parameters always answer 400; an empty parameter counts as absent.

**Idempotency.** Every POST that creates a resource accepts an \`Idempotency-Key\`. Send a random value and retry with it
until you get a response. For 24 hours the same key with the same request returns the stored response.

**Rate limits.** Requests per minute for each API key, and size of a burst: Starter 60, Pro 120, Business 600,
Enterprise 1200. All keys of a workspace together may send three times as many. The \`RateLimit-*\` headers report what is left.

**Pagination.** Pass \`next_cursor\` as \`cursor\`, with the same filters, until it is null.
`.trim();

/** Generates the OpenAPI document of the API from its routes. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const schemas: Schemas = {};
  nameErrors(schemas);
  const paths = pathsOf(routes, schemas);
  const webhooks = webhooksOf(schemas);
  const responses = commonResponses(schemas);
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
      { url: '/api/v1', description: 'This deployment, with the development prefix' },
    ],
    security: [{ ApiKey: [] }],
    tags: TAGS.filter(({ name }) => used.has(name)),
    paths,
    'x-webhooks': webhooks,
    components: {
      schemas: sorted(usedIn({ paths, webhooks, responses }, schemas)),
      responses,
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'A value unique to this request, for example a random UUID',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
          example: '2f1c3f0e-9f3b-4d3f-8a53-6b1f6f0f4a55',
        },
      },
      headers: HEADERS,
      securitySchemes: {
        ApiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key: `sps_` and 40 letters and digits. It is returned once, when it is created.',
        },
      },
    },
  };
}

/** Returns the named schemas that are referenced, directly or by others. */
function usedIn(root: unknown, schemas: Schemas, found: Schemas = {}): Schemas {
  for (const [, name = ''] of JSON.stringify(root).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    const schema = schemas[name];
    if (found[name] || !schema) continue;
    found[name] = schema;
    usedIn(schema, schemas, found);
  }
  return found;
}

const sorted = (schemas: Schemas): Schemas =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
