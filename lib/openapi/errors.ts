import { ERROR_CODES, type ErrorCode } from '../../shared/http/error-codes.ts';
import type { ResponseDoc } from '../../shared/http/response.ts';
import type { Route } from '../../shared/http/route.ts';
import { COMMON_ERRORS, type CommonError, type CommonErrorName } from './common-errors.ts';
import { bodySchema, ERROR_SCHEMAS } from './error-schemas.ts';
import { exampleOf } from './example.ts';
import { headerRefs } from './headers.ts';
import { nameSchema, schemaRef, toSchema } from './json-schema.ts';
import type { Schema, Schemas } from './schema.ts';
import { typeName } from './names.ts';
import type { Media, ResponseObject } from './media.ts';

/** Adds the schemas of error bodies to the named schemas. */
export function nameErrors(named: Schemas): void {
  for (const schema of Object.values(ERROR_SCHEMAS)) toSchema(schema, 'output', named);
}

/** The errors that every route of this kind may answer. */
export function commonErrors(route: Route): CommonErrorName[] {
  const takesParameters = route.query !== undefined || route.creates;
  return [
    ...(route.body ? (['BadRequest'] as const) : takesParameters ? (['InvalidParameters'] as const) : []),
    ...(route.auth === 'key' ? (['Unauthorized', 'Forbidden', 'TooManyRequests'] as const) : []),
    ...(route.path.includes('{') ? (['NotFound'] as const) : []),
    ...(route.creates ? (['IdempotencyKeyInUse', 'IdempotencyKeyReused'] as const) : []),
    ...(route.body ? (['ContentTooLarge', 'UnsupportedMediaType'] as const) : []),
    'ServerFailure',
    'Unavailable',
  ];
}

/** Returns the shared error responses by name. */
export function commonResponses(named: Schemas): Record<string, ResponseObject> {
  const rows = Object.entries(COMMON_ERRORS).map(([name, error]: [string, CommonError]) => {
    const content = { 'application/json': mediaOf(error, `${name}Error`, error.codes, [], named) };
    return [
      name,
      { description: error.description, headers: headerRefs(...error.headers), content },
    ] as const;
  });
  return Object.fromEntries(rows);
}

/** Returns the body of an error that a route documents itself, with the codes that it has in addition. */
export function errorMedia(
  route: Route,
  status: number,
  own: ResponseDoc,
  common: CommonError | undefined,
  named: Schemas,
): Media {
  const name = typeName(route, SUFFIX[status] ?? `Status${status}`);
  const schemas = own.schema ? membersOf(toSchema(own.schema, 'output', named, name), name, named) : [];
  const codes = [
    ...(own.codes ?? []),
    ...(route.takes_form && status === 400 ? (['MALFORMED_FORM'] as const) : []),
  ];
  const error = { ...(common ?? UNCOMMON), ...exampleOfOwn(status, own, codes) };
  const all = [...error.codes, ...codes];
  const shared = common && codes.length === 0 ? sharedName(common) : null;
  return mediaOf(error, shared ?? name, all, schemas, named);
}

const UNCOMMON: CommonError = { status: 0, description: '', bodies: [], codes: [], headers: [] };

/** Names of the error bodies of an operation: `UpdatePostConflict`. */
const SUFFIX: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  409: 'Conflict',
  429: 'TooManyRequests',
  501: 'NotImplemented',
  502: 'BadGateway',
  503: 'Unavailable',
};

const sharedName = (common: CommonError): string | null => {
  const row = Object.entries(COMMON_ERRORS).find(
    ([, { status, codes }]) => status === common.status && codes.length > 0,
  );
  return row ? `${row[0]}Error` : null;
};

/** What a route says about the body without a code: its example, or the message that its description ends with. */
function exampleOfOwn(status: number, own: ResponseDoc, codes: readonly ErrorCode[]): Partial<CommonError> {
  if (own.example !== undefined) return { example: own.example };
  if (own.schema || codes.length > 0) return {};
  if (status === 404)
    return { example: { error: own.description.replace(/(,| or ).* not found.*/, ' not found') } };
  return { example: { error: own.description } };
}

/** Returns the members of a union, each by its name. */
function membersOf(schema: Schema, name: string, named: Schemas): Schema[] {
  if (schema.anyOf) return schema.anyOf;
  return [nameSchema(name, schema, named)];
}

function mediaOf(
  error: CommonError,
  name: string,
  codes: readonly ErrorCode[],
  own: readonly Schema[],
  named: Schemas,
): Media {
  const coded = codes.length > 0 ? [nameSchema(name, bodySchema(codes), named)] : [];
  const isBare = own.length + error.bodies.length + coded.length === 0;
  const all = [
    ...own,
    ...error.bodies.map(schemaRef),
    ...coded,
    ...(isBare ? [schemaRef('ServiceError')] : []),
  ];
  const [only] = all;
  return {
    schema: all.length === 1 && only ? only : { anyOf: all },
    ...examplesOf([...own.map(schema => exampleOf(schema, named)), error.example], codes),
  };
}

/** One example for each kind of body. */
function examplesOf(
  plain: readonly unknown[],
  codes: readonly ErrorCode[],
): Pick<Media, 'example' | 'examples'> {
  const bodies = plain.filter(one => one !== undefined);
  if (codes.length === 0 && bodies.length === 1) return { example: bodies[0] };
  const rows = bodies.map((value, index) => [index === 0 ? 'default' : `other${index}`, { value }] as const);
  const coded = codes.map(
    code => [code, { summary: ERROR_CODES[code].cause, value: exampleOfCode(code) }] as const,
  );
  return { examples: Object.fromEntries<{ summary?: string; value: unknown }>([...rows, ...coded]) };
}

function exampleOfCode(code: ErrorCode): unknown {
  const { error, ...more } = ERROR_CODES[code].example;
  return { error, code, ...more };
}
