import * as v from 'valibot';
import { ACCESS_DENIED } from '../../shared/http/access.ts';
import { scopeOf } from '../../shared/http/key-scope.ts';
import type { ResponseDoc } from '../../shared/http/response.ts';
import type { Route } from '../../shared/http/route.ts';
import { UnknownFieldRecord } from '../../shared/http/unknown-fields.ts';
import { isIdName } from '../../shared/model/id.ts';
import type { Scope } from '../../shared/model/workspace.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { ERRORS, errorSchema } from './errors.ts';
import { exampleOf } from './example.ts';
import { headerRefs } from './headers.ts';
import { mapValues, toSchema, type Schema, type Schemas } from './json-schema.ts';

export interface Media {
  schema: Schema;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: [];
  'x-required-scope'?: Scope;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, ResponseObject | { $ref: string }>;
}

const JSON_TYPE = 'application/json';

/** Converts a route to an OpenAPI operation. Named schemas are added to `named`. */
export function operationOf(route: Route, named: Schemas): Operation {
  const parameters = parametersOf(route, named);
  return {
    operationId: route.operation_id ?? defaultId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    ...(route.auth === 'none' ? { security: [] } : { 'x-required-scope': scopeOf(route) }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBodyOf(route, route.body, named) } : {}),
    responses: responsesOf(route, named),
  };
}

/** `POST /webhooks/{id}/test` becomes `postWebhooksByIdTest`. */
function defaultId({ method, path }: Route): string {
  const words = path.replace(/\{/g, 'by-').split(/[^A-Za-z0-9]+/);
  const name = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return method.toLowerCase() + name;
}

function parametersOf(route: Route, named: Schemas): Operation['parameters'] & object {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');
  const path = names.map((name): Parameter => ({
    name,
    in: 'path',
    required: true,
    schema: pathSchema(name),
  }));
  const query = toSchema(v.object(route.query ?? {}), 'input', named);
  const queryParameters = Object.entries(query.properties ?? {}).map(([name, schema]): Parameter => {
    const { description, ...rest } = schema;
    return {
      name,
      in: 'query',
      required: query.required?.includes(name) ?? false,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
  const idempotency = route.creates ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [...path, ...queryParameters, ...idempotency];
}

function pathSchema(name: string): Schema {
  if (isIdName(name)) return { type: 'string', format: 'uuid' };
  if (name === 'platform') return { type: 'string', enum: PLATFORM_IDS };
  return { type: 'string' };
}

function requestBodyOf(
  route: Route,
  body: v.ObjectEntries,
  named: Schemas,
): Operation['requestBody'] & object {
  const one = bodySchema(route, body, named);
  const schema = route.batch === undefined ? one : oneOrMany(one, route.batch);
  const example = route.body_example ?? exampleOf(one, named);
  return {
    required: (one.required ?? []).length > 0,
    content: {
      [JSON_TYPE]: { schema: route.takes_form ? withoutFiles(schema) : schema, example },
      ...(route.takes_form && {
        'multipart/form-data': { schema },
        'application/x-www-form-urlencoded': { schema: withoutFiles(schema) },
      }),
    },
  };
}

/** A JSON body cannot contain files. */
function withoutFiles({ properties = {}, ...schema }: Schema): Schema {
  const others = Object.entries(properties).filter(([, { format }]) => format !== 'binary');
  return { ...schema, properties: Object.fromEntries(others) };
}

function bodySchema(route: Route, body: v.ObjectEntries, named: Schemas): Schema {
  return toSchema(v.object({ ...body, ...route.body_docs }), 'input', named);
}

const oneOrMany = (one: Schema, maxItems: number): Schema => ({
  anyOf: [one, { type: 'array', items: one, minItems: 1, maxItems }],
});

function responsesOf(route: Route, named: Schemas): Operation['responses'] {
  const common = commonStatuses(route).map(status => [String(status), commonRef(status)] as const);
  const own = Object.entries({ ...accessResponse(route), ...route.responses }).map(
    ([status, doc]) => [status, responseOf(route, Number(status), doc, named)] as const,
  );
  return Object.fromEntries<ResponseObject | { $ref: string }>([...common, ...own]);
}

/** The 403 of a route that not every user may call. */
function accessResponse({ access }: Route): Record<number, ResponseDoc> {
  return access === undefined ? {} : { 403: { description: ACCESS_DENIED[access] } };
}

/** Statuses that every route of this kind may answer. */
function commonStatuses(route: Route): number[] {
  const takesInput = route.query !== undefined || route.body !== undefined || route.creates;
  return [
    ...(takesInput ? [400] : []),
    ...(route.auth === 'key' ? [401, 403, 429] : []),
    ...(route.path.includes('{') ? [404] : []),
    ...(route.creates ? [409, 422] : []),
    ...(route.body ? [413, 415] : []),
    500,
    503,
  ];
}

function responseOf(route: Route, status: number, own: ResponseDoc, named: Schemas): ResponseObject {
  const content = status < 400 ? contentOf(route, own, named) : errorContent(status, own, named);
  return {
    description: own.description,
    headers: headerRefs(...headersOf(route, status), ...(own.headers ?? [])),
    ...(content ? { content } : {}),
  };
}

function contentOf(route: Route, own: ResponseDoc, named: Schemas): Record<string, Media> | null {
  const type = own.content_type ?? JSON_TYPE;
  if (!own.schema) return own.content_type === undefined ? null : { [type]: { schema: { type: 'string' } } };
  const shape = toSchema(own.schema, 'output', named);
  const example = own.example ?? exampleOf(shape, named);
  return { [type]: { schema: route.body ? withWarnings(shape, named) : shape, example } };
}

/** Responses to requests with a body may contain warnings about unknown fields. */
function withWarnings(shape: Schema, named: Schemas): Schema {
  const object = shape.$ref === undefined ? shape : (named[shape.$ref.split('/').at(-1) ?? ''] ?? shape);
  if (!object.properties || object.properties['warnings']) return shape;
  const warnings: Schema = {
    type: 'array',
    description: 'Unknown fields of the request, which were ignored; absent if there are none',
    items: toSchema(UnknownFieldRecord, 'output', named),
  };
  return { ...object, properties: { ...object.properties, warnings } };
}

function errorContent(status: number, own: ResponseDoc, named: Schemas): Record<string, Media> {
  const schema = own.schema ? toSchema(own.schema, 'output', named) : null;
  const example = own.example ?? (schema ? exampleOf(schema, named) : { error: own.description });
  return { [JSON_TYPE]: { schema: errorSchema(status, schema), example } };
}

function headersOf({ auth, creates }: Route, status: number): string[] {
  return [
    'X-Request-Id',
    ...(status === 201 || status === 302 ? ['Location'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(auth === 'key' ? RATE_HEADERS : []),
    ...(creates ? ['Idempotent-Replayed'] : []),
  ];
}

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** References the shared response of an error status. */
function commonRef(status: number): { $ref: string } {
  return { $ref: `#/components/responses/${ERRORS[status]?.name ?? ''}` };
}

/** Shared error responses by name. */
export function commonResponses(): Record<string, ResponseObject> {
  const rows = Object.entries(ERRORS).map(([status, { name, description, example }]) => {
    const content = { [JSON_TYPE]: { schema: errorSchema(Number(status), null), example } };
    const headers = headerRefs(...commonHeaders(Number(status)));
    return [name, { description, headers, content }] as const;
  });
  return Object.fromEntries(rows);
}

function commonHeaders(status: number): string[] {
  if (status === 401) return ['X-Request-Id', 'WWW-Authenticate'];
  const retry = status === 429 || status === 503 ? ['Retry-After'] : [];
  return ['X-Request-Id', ...retry, ...(status < 500 ? RATE_HEADERS : [])];
}

/** Returns the operations of the document by path and method. */
export function pathsOf(routes: readonly Route[], named: Schemas): Record<string, Record<string, Operation>> {
  const byPath = Object.groupBy(routes, route => route.path);
  return mapValues(byPath, rows =>
    Object.fromEntries((rows ?? []).map(route => [route.method.toLowerCase(), operationOf(route, named)])),
  );
}
