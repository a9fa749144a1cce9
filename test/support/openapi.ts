import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../../lib/openapi/document.ts';
import type { Schema } from '../../lib/openapi/schema.ts';
import type { Operation } from '../../lib/openapi/operation.ts';
import type { Parameter } from '../../lib/openapi/parameters.ts';
import type { Media, ResponseObject } from '../../lib/openapi/media.ts';

export interface DocumentedOperation {
  method: string;
  /** Path template: `/posts/{id}`. */
  path: string;
  operation: Operation;
}

/** Keywords whose values are not schemas. */
const LITERAL = new Set(['enum', 'example', 'default']);

/** As generated: `lib/docs.test.ts` fails when it is not current. To make it anew loads all of the API, in every test file. */
const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as OpenApiDocument;

/** All operations of the document. */
export const operations: readonly DocumentedOperation[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** Path and query parameters of an operation. */
export const parametersOf = ({ operation }: DocumentedOperation): Parameter[] =>
  (operation.parameters ?? []).filter((each): each is Parameter => 'name' in each);

/** Returns a schema without references and `allOf` at its top. */
export function flat(schema: Schema): Schema {
  if (schema.$ref !== undefined) return flat(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  if (!schema.allOf) return schema;
  const parts = schema.allOf.map(flat);
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, Schema>,
    required: parts.flatMap(({ required = [] }) => required),
  };
}

/** Returns the schema of one item where a body can be one or several. */
export function itemOf(schema: Schema): Schema {
  const { anyOf, ...whole } = flat(schema);
  return flat(anyOf?.[0] ?? whole);
}

const ajv = new Ajv({ strict: false });
formats.default(ajv);
// Tests use ids such as `w1`.
ajv.addFormat('uuid', true);
ajv.addSchema({ $id: 'api', components: { schemas: closed(document.components.schemas) } });

/** Statuses of requests that match no operation. */
const UNROUTED = new Set([401, 403, 404, 405]);

/** Throws unless the document has the status for this operation and the body matches its schema. */
export function assertDocumented(method: string, target: string, status: number, body: unknown): void {
  const found = findOperation(method, target);
  if (!found) {
    if (!UNROUTED.has(status))
      throw new Error(`The document has no operation ${method} ${target}, which answered ${status}`);
    return;
  }
  const name = `${found.method} ${found.path} -> ${status}`;
  const response = responseOf(found.operation, status);
  if (!response) throw new Error(`${name}: undocumented status. Body: ${shown(body)}`);
  const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
  if (media === undefined) {
    if (body !== undefined && body !== '') throw new Error(`${name}: undocumented body: ${shown(body)}`);
    return;
  }
  if (type !== 'application/json') return;
  const validate = validatorOf(name, media);
  if (validate(body)) return;
  throw new Error(`${name}: ${ajv.errorsText(validate.errors)}. Body: ${shown(body)}`);
}

/** Finds the operation of a request; a path with fewer parameters has priority, also where it has no such method. */
export function findOperation(method: string, target: string): DocumentedOperation | null {
  const parts = new URL(target, 'http://api').pathname.split('/');
  const hits = operations.filter(each => matches(each.path.split('/'), parts));
  const parameters = ({ path }: DocumentedOperation) => path.split('{').length;
  const least = Math.min(...hits.map(parameters));
  return hits.find(each => each.method === method && parameters(each) === least) ?? null;
}

function matches(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}

function responseOf(operation: Operation, status: number): ResponseObject | null {
  const response = operation.responses[status];
  if (!response) return null;
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1)!] ?? null;
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string, { schema }: Media): ValidateFunction {
  const known = validators.get(name) ?? ajv.compile(closed(schema));
  validators.set(name, known);
  return known;
}

const shown = (body: unknown) => (JSON.stringify(body) as string | undefined)?.slice(0, 700);

/** Whether a value matches a schema of the document; for requests, which may have unknown fields. */
export function fits(schema: Schema, value: unknown): true | string {
  const validate = ajv.compile(withRefs(flat(schema)));
  return validate(value) || ajv.errorsText(validate.errors);
}

/** Returns the schema without additional properties: a response with more fields is undocumented. */
function closed<T>(schema: T): T {
  return change(schema, node =>
    node.properties && node.additionalProperties === undefined
      ? { ...node, additionalProperties: false }
      : node,
  );
}

const withRefs = <T>(schema: T): T => change(schema, node => node);

function change<T>(value: T, each: (node: Schema) => Schema): T {
  if (Array.isArray(value)) return value.map((entry: unknown) => change(entry, each)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => {
    if (name === '$ref') return [name, `api${String(inner)}`] as const;
    return [name, LITERAL.has(name) ? inner : change(inner, each)] as const;
  });
  return each(Object.fromEntries(entries)) as T;
}
