import { ACCESS_DENIED } from '../../shared/http/access.ts';
import type { ResponseDoc } from '../../shared/http/response.ts';
import type { Route } from '../../shared/http/route.ts';
import { UnknownFieldRecord } from '../../shared/http/unknown-fields.ts';
import { COMMON_ERRORS, type CommonError } from './common-errors.ts';
import { commonErrors, errorMedia } from './errors.ts';
import { exampleOf } from './example.ts';
import { headerRefs } from './headers.ts';
import { nameSchema, toSchema } from './json-schema.ts';
import type { Media, ResponseObject } from './media.ts';
import type { Schema, Schemas } from './schema.ts';
import { typeName } from './names.ts';

const JSON_TYPE = 'application/json';
const PAGE: Record<string, Media> = { 'text/html': { schema: { type: 'string' } } };
const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Returns the responses of a route by status: its own, and those that every route of its kind has. */
export function responsesOf(route: Route, named: Schemas): Record<string, ResponseObject | { $ref: string }> {
  const common = commonErrors(route);
  const shared = common.map(
    name => [String(COMMON_ERRORS[name].status), { $ref: `#/components/responses/${name}` }] as const,
  );
  const documented = { ...accessResponse(route), ...route.responses };
  const own = Object.entries(documented).map(([key, doc]) => {
    const status = Number(key);
    const error = common.map(name => COMMON_ERRORS[name]).find(each => each.status === status);
    return [key, responseOf(route, status, doc, error, named)] as const;
  });
  return Object.fromEntries<ResponseObject | { $ref: string }>([...shared, ...own]);
}

/** The 403 of a route that not every user may call. */
function accessResponse({ access }: Route): Record<number, ResponseDoc> {
  return access === undefined ? {} : { 403: { description: ACCESS_DENIED[access] } };
}

function responseOf(
  route: Route,
  status: number,
  own: ResponseDoc,
  common: CommonError | undefined,
  named: Schemas,
): ResponseObject {
  const content =
    status < 400
      ? contentOf(route, own, named)
      : { [JSON_TYPE]: errorMedia(route, status, own, common, named) };
  return {
    description: own.description,
    headers: headerRefs(...headersOf(route, status), ...(own.headers ?? [])),
    ...(content ? { content: { ...content, ...(own.html ? PAGE : {}) } } : {}),
  };
}

function contentOf(route: Route, own: ResponseDoc, named: Schemas): Record<string, Media> | null {
  if (!own.schema) {
    return own.content_type === undefined ? null : { [own.content_type]: { schema: { type: 'string' } } };
  }
  const name = typeName(route, 'Result');
  const shape = toSchema(own.schema, 'output', named, name);
  const schema =
    shape.$ref === undefined
      ? nameSchema(name, ownBody(route, shape, named), named)
      : namedBody(route, shape, named);
  return { [own.content_type ?? JSON_TYPE]: { schema, example: own.example ?? exampleOf(schema, named) } };
}

function ownBody(route: Route, shape: Schema, named: Schemas): Schema {
  const description = `Response of \`${route.operation_id}\`.`;
  return { description, ...(route.body ? withWarnings(shape, named) : shape) };
}

function namedBody(route: Route, reference: Schema, named: Schemas): Schema {
  const name = reference.$ref?.split('/').at(-1) ?? '';
  const shape = named[name];
  const whole = route.body && shape ? withWarnings(shape, named) : shape;
  return whole && whole !== shape ? nameSchema(`${name}WithWarnings`, whole, named) : reference;
}

/** Responses to requests with a body may contain warnings about unknown fields. */
function withWarnings(shape: Schema, named: Schemas): Schema {
  if (!shape.properties || shape.properties['warnings']) return shape;
  const warnings: Schema = {
    type: 'array',
    description: 'Unknown fields of the request, which were ignored; absent if there are none',
    items: toSchema(UnknownFieldRecord, 'output', named),
  };
  return { ...shape, properties: { ...shape.properties, warnings } };
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
