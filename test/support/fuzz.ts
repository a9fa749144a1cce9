import fc from 'fast-check';
import type { Schema } from '../../lib/openapi/schema.ts';
import type { Operation } from '../../lib/openapi/operation.ts';
import type { Parameter } from '../../lib/openapi/parameters.ts';
import { flat, itemOf, parametersOf, type DocumentedOperation } from './openapi.ts';

/** A request as it is sent. */
export interface FuzzRequest {
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

export interface Known {
  /** Existing values of a path parameter. */
  ids: (operation: DocumentedOperation, parameter: string) => readonly string[];
  /** Valid values of body fields and query parameters by name. */
  values: Readonly<Record<string, unknown>>;
}

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>(inner => ({ a: inner }), 1);

/** Values that are invalid or unusual for most fields. */
export const EDGE_CASES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  9007199254740993,
  'NaN',
  'null',
  '',
  '   ',
  '\u200b\u2060',
  'x'.repeat(20_000),
  '\u0000\u0007\u001b[31m',
  'a\u0000b',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'e\u0301\u0323'.repeat(50),
  '\u202eright to left \u05d0\u05d1',
  '\ud800',
  '__proto__',
  'constructor',
  '${jndi:ldap://x}',
  "'; DROP TABLE posts; --",
  '../../etc/passwd',
  'https://user:password@example.com/',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]/',
  'javascript:alert(1)',
  '2026-02-31T10:00:00Z',
  '99999-01-01T00:00:00Z',
  '0000-00-00',
  [],
  {},
  [[]],
  [null],
  [{}],
  Array.from({ length: 3000 }, () => 'x'),
  Array.from({ length: 5 }, () => '018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d8e'),
  deep(40),
  deep(200),
];

const edgeCase = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EDGE_CASES) },
  fc.jsonValue({ maxDepth: 3 }),
  fc.string(),
);

const edgeCaseText = fc
  .constantFrom(...EDGE_CASES.filter(each => typeof each === 'string'))
  .map(text => text.slice(0, 2000).toWellFormed());

/** Bodies that are not JSON objects. */
const MALFORMED = [
  '{',
  '[1,',
  '{"a":NaN}',
  '"text"',
  '7',
  'null',
  '[]',
  '[[]]',
  '\u0000',
  '{"__proto__":{"admin":true}}',
  '{"a":1,"a":2}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `{"a":"${'x'.repeat(1_100_000)}"}`,
];

/** Values that match a schema. */
function valid(reference: Schema): fc.Arbitrary<unknown> {
  const schema = flat(reference);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(valid));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 100 });
    case 'array':
      return fc.array(valid(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'object':
      return objectOf(schema);
    case 'string':
      return textOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const optional = Object.keys(properties).filter(name => !required.includes(name));
  // Only a few optional fields: all of them together are hardly ever valid.
  return fc
    .subarray(optional, { maxLength: Math.min(4, optional.length) })
    .chain(chosen =>
      fc.record(Object.fromEntries([...required, ...chosen].map(name => [name, valid(properties[name]!)]))),
    );
}

function textOf({ format, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return fc.webUrl();
  if (format === 'email') return fc.emailAddress();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map(date => date.toISOString());
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
}

/** Requests to an operation, from valid to malformed. */
export function requestsTo(target: DocumentedOperation, known: Known): fc.Arbitrary<FuzzRequest> {
  return fc.record({
    path: pathOf(target, known),
    body: bodyOf(target.operation, known),
    headers: headersOf(target.operation),
  });
}

function pathOf(target: DocumentedOperation, known: Known): fc.Arbitrary<string> {
  const parameters = parametersOf(target);
  const inPath = parameters.filter(each => each.in === 'path');
  const inQuery = parameters.filter(each => each.in === 'query');
  const segments = fc.record(
    Object.fromEntries(inPath.map(each => [each.name, segment(each, known.ids(target, each.name))])),
  );
  const query = fc
    .subarray(inQuery, { maxLength: Math.min(2, inQuery.length) })
    .chain(chosen =>
      fc.record<Record<string, string>>(
        Object.fromEntries(chosen.map(each => [each.name, queryValue(each, known)])),
      ),
    );
  return fc.tuple(segments, query).map(([values, queryValues]) => {
    const path = target.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values[name])),
    );
    const search = new URLSearchParams(queryValues).toString();
    return search === '' ? path : `${path}?${search}`;
  });
}

function segment({ schema }: Parameter, ids: readonly string[]): fc.Arbitrary<string> {
  const texts = fc.constantFrom(
    '0',
    'null',
    'a'.repeat(300),
    '%',
    ' ',
    '\u0000',
    '🚀',
    '__proto__',
    'a/b',
    "'",
  );
  const existing = ids.length > 0 ? [{ weight: 5, arbitrary: fc.constantFrom(...ids) }] : [];
  return fc.oneof(...existing, { weight: 2, arbitrary: valid(schema).map(String) }, texts);
}

function queryValue({ name, schema }: Parameter, { values }: Known): fc.Arbitrary<string> {
  const usual = Object.hasOwn(values, name) ? fc.constant(values[name]) : valid(schema);
  return fc.oneof({ weight: 3, arbitrary: usual.map(String) }, { weight: 1, arbitrary: edgeCaseText });
}

function bodyOf({ requestBody }: Operation, { values }: Known): fc.Arbitrary<string | undefined> {
  const media = requestBody?.content['application/json'];
  if (!media) return fc.oneof(fc.constant(undefined), fc.constantFrom('{}', '{"a":1}', '{'));
  const base = fc
    .oneof(fc.constant(media.example), valid(media.schema))
    .map(value => withKnown(value, values));
  const fields = Object.keys(itemOf(media.schema).properties ?? {});
  const changes = fc.array(
    fc.tuple(fc.constantFrom(...fields, '__proto__', 'constructor', 'nonsense'), edgeCase),
    { maxLength: 3 },
  );
  const gaps = fc.subarray(fields, { maxLength: Math.min(2, fields.length) });
  const mutated = fc
    .tuple(base, changes, gaps)
    .map(([value, changed, missing]) => JSON.stringify(mutate(value, changed, missing)));
  return fc.oneof(
    { weight: 12, arbitrary: mutated },
    { weight: 1, arbitrary: fc.constantFrom(...MALFORMED) },
    { weight: 1, arbitrary: edgeCase.map(value => JSON.stringify(value)) },
  );
}

/** Replaces generated values by known ones. */
function withKnown(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map(item => withKnown(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name, Object.hasOwn(values, name) ? values[name] : own]),
  );
}

function mutate(
  value: unknown,
  changes: readonly (readonly [string, unknown])[],
  missing: readonly string[],
): unknown {
  if (Array.isArray(value)) return value.map(item => mutate(item, changes, []));
  const kept = Object.entries(value ?? {}).filter(([name]) => !missing.includes(name));
  return Object.fromEntries([...kept, ...changes]);
}

/** Headers that the service or a layer before it may read. */
const OTHER_HEADERS = [
  'x-request-id',
  'accept',
  'accept-language',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'origin',
  'cookie',
  'if-none-match',
];
/** Header values: Latin-1 without control characters. */
const headerValue = fc.oneof(
  fc.constantFrom('', '*', 'null', 'a'.repeat(3000), '../..', '__proto__', '\u00ff\u00e9', 'a, b;q=x', '"'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map(text => text.trim()),
);

function headersOf({ requestBody }: Operation): fc.Arbitrary<Record<string, string>> {
  const type = requestBody
    ? fc.oneof(
        { weight: 15, arbitrary: fc.constant('application/json') },
        fc.constantFrom(
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          'application/json; charset=latin1',
        ),
      )
    : fc.constant('application/json');
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    fc.uuid(),
    fc.constantFrom('k', '""', 'a'.repeat(256), 'a"b'),
  );
  const other = fc.dictionary(fc.constantFrom(...OTHER_HEADERS), headerValue, { maxKeys: 2 });
  return fc.tuple(type, key, other).map(([contentType, idempotencyKey, others]) => ({
    ...others,
    'content-type': contentType,
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
  }));
}
