import * as v from 'valibot';
import { isUuid, newId } from '../model/id.ts';
import { notFound, place, unauthorized, validationFailed, type Detail } from './errors.ts';
import { withoutLongLists } from './long-lists.ts';
import type { ApiRequest, Auth, RawRequest, Route, RouteDefinition } from './route.ts';
import { unknownFields, withHints, withWarnings } from './unknown-fields.ts';

/**
 * Makes a route of its definition. Bodies, queries and path parameters that do not fit answer 400 with every fault;
 * a path parameter that is no UUID answers 404, since nothing can be there. Fields of the body that nothing knows are
 * named in the `warnings` of a successful answer.
 */
export function route<
  const P extends v.ObjectEntries | undefined = undefined,
  const Q extends v.ObjectEntries | undefined = undefined,
  const B extends v.ObjectEntries | undefined = undefined,
  const A extends Auth = 'key',
  const M extends number | undefined = undefined,
>(definition: RouteDefinition<P, Q, B, A, M>): Route {
  const { handler, params, query, body, ...rest } = definition;
  return {
    ...rest,
    creates: definition.creates ?? (definition.method === 'POST' && 201 in definition.responses),
    params,
    query,
    body,
    invoke: async (raw, services) => {
      if (!body) return handler(readAll(definition, raw, services.now), services);
      try {
        const answer = await handler(readAll(definition, raw, services.now), services);
        return withWarnings(answer, unknownFields(body, raw.body));
      } catch (error) {
        throw withHints(error, body, raw.body);
      }
    },
  };
}

/** The request as its handler gets it. Throws 400 with every fault. */
function readAll<
  P extends v.ObjectEntries | undefined,
  Q extends v.ObjectEntries | undefined,
  B extends v.ObjectEntries | undefined,
  A extends Auth,
  M extends number | undefined,
>(definition: RouteDefinition<P, Q, B, A, M>, raw: RawRequest, now: () => number) {
  const short = withoutLongLists(definition.body ?? {}, raw.body);
  const read = readRequest(definition, { ...raw, body: short.body }, now);
  const own = 'details' in read ? read.details : [];
  if ('details' in read || short.details.length > 0) {
    throw validationFailed([...short.details, ...besides(short.details, own)]);
  }
  return read.request;
}

/** Path parameter of a resource id. */
export const idParam = { id: v.string() };

/** Faults of what has none yet: where a whole field has one, those of its parts say nothing more. */
export function besides(known: readonly Detail[], more: readonly Detail[]): Detail[] {
  const named = new Set(known.map(({ field }) => field));
  const root = (field: string) => field.replace(/[.[].*$/s, '');
  return more.filter(({ field }) => !named.has(field) && !named.has(root(field)));
}

function readRequest<
  P extends v.ObjectEntries | undefined,
  Q extends v.ObjectEntries | undefined,
  B extends v.ObjectEntries | undefined,
  A extends Auth,
  M extends number | undefined,
>(
  definition: RouteDefinition<P, Q, B, A, M>,
  raw: RawRequest,
  now: () => number,
): { request: Parameters<RouteDefinition<P, Q, B, A, M>['handler']>[0] } | { details: Detail[] } {
  if (Object.entries(raw.params).some(([name, value]) => /(^|_)id$/.test(name) && !isUuid(value)))
    throw notFound();
  if (definition.auth === 'key' && raw.principal === null) throw unauthorized();
  const parts = {
    params: check(definition.params, raw.params, 'path'),
    query: check(definition.query, raw.query, 'query'),
    body: definition.batch
      ? checkBatch(definition.body, raw.body, definition.batch)
      : check(definition.body, raw.body, 'body'),
  };
  const details = [...parts.params.details, ...parts.query.details, ...parts.body.details];
  if (details.length > 0) return { details };
  const request: ApiRequest = {
    params: parts.params.value,
    query: parts.query.value,
    body: parts.body.value,
    is_batch: definition.batch !== undefined && Array.isArray(raw.body),
    principal: raw.principal,
    request_id: raw.request_id,
    headers: raw.headers,
    base_url: raw.base_url,
    newResourceId: raw.newResourceId ?? (() => newId(now())),
    asked_at: raw.asked_at ?? now(),
  };
  // The schemas above produced just these types; TypeScript cannot follow a conditional type into a value.
  return { request: trustParsed(request) };
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one place where a parsed value gets its static type
function trustParsed<T>(request: ApiRequest): T {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- see readRequest
  return request as T;
}

interface Checked {
  value: unknown;
  details: Detail[];
}

/** One object, or an array of them whose faults name their place: `[3].title`. */
function checkBatch(entries: v.ObjectEntries | undefined, value: unknown, max: number): Checked {
  if (!Array.isArray(value)) {
    const one = check(entries, value, 'body');
    return { value: [one.value], details: one.details };
  }
  if (value.length === 0 || value.length > max) {
    const message = `Must hold 1 to ${max} objects`;
    return { value: undefined, details: [{ field: 'body', message, platform: null }] };
  }
  const checked = value.map((item, index) => {
    const { value: parsed, details } = check(entries, item, '');
    const placed = details.map(each => ({ ...each, field: place(index, each.field) }));
    return { value: parsed, details: placed };
  });
  return { value: checked.map(each => each.value), details: checked.flatMap(each => each.details) };
}

export function check(entries: v.ObjectEntries | undefined, value: unknown, where: string): Checked {
  if (!entries) return { value: undefined, details: [] };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      value: undefined,
      details: [{ field: where, message: 'Must be a JSON object', platform: null }],
    };
  }
  const parsed = v.safeParse(v.object(entries), value);
  if (parsed.success) return { value: parsed.output, details: [] };
  return { value: undefined, details: parsed.issues.map(issue => detailOf(issue, where)) };
}

function detailOf(issue: v.BaseIssue<unknown>, where: string): Detail {
  const field = v.getDotPath(issue)?.replace(/\.(\d+)(?=\.|$)/g, '[$1]') ?? where;
  const missing = issue.received === 'undefined';
  const message = missing ? 'Is required' : plainMessage(issue);
  return { field, message, platform: null };
}

/** What a kind of check asks for, in plain words. */
const PLAIN: Readonly<Record<string, string>> = {
  string: 'Must be a string',
  number: 'Must be a number',
  boolean: 'Must be true or false',
  array: 'Must be an array',
  object: 'Must be an object',
  non_empty: 'Must not be empty',
  integer: 'Must be a whole number',
  safe_integer: 'Must be a whole number',
};

/** valibot's own messages quote the value, which may be a secret: say what was expected instead. */
export function plainMessage(issue: v.BaseIssue<unknown>): string {
  const isOwn = issue.message.startsWith('Invalid ');
  if (!isOwn) return issue.message;
  const plain = PLAIN[issue.type];
  if (plain !== undefined) return plain;
  if (issue.kind === 'schema') return `Must be ${issue.expected ?? issue.type}`;
  return `Must satisfy ${issue.type}${issue.expected ? ` (${issue.expected})` : ''}`;
}
