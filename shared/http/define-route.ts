import * as v from 'valibot';
import { isUuid } from '../model/id.ts';
import { notFound, unauthorized, validationFailed, type Detail } from './errors.ts';
import type { ApiRequest, Auth, RawRequest, Route, RouteDefinition } from './route.ts';

/**
 * Makes a route of its definition. Bodies, queries and path parameters that do not fit answer 400 with every fault;
 * a path parameter that is no UUID answers 404, since nothing can be there.
 */
export function route<
  const P extends v.ObjectEntries | undefined = undefined,
  const Q extends v.ObjectEntries | undefined = undefined,
  const B extends v.ObjectEntries | undefined = undefined,
  const A extends Auth = 'key',
>(definition: RouteDefinition<P, Q, B, A>): Route {
  const { handler, params, query, body, ...rest } = definition;
  return {
    ...rest,
    params,
    query,
    body,
    invoke: (raw, services) => handler(parseRequest(definition, raw), services),
  };
}

/** Path parameter of a resource id. */
export const idParam = { id: v.string() };

function parseRequest<
  P extends v.ObjectEntries | undefined,
  Q extends v.ObjectEntries | undefined,
  B extends v.ObjectEntries | undefined,
  A extends Auth,
>(
  definition: RouteDefinition<P, Q, B, A>,
  raw: RawRequest,
): Parameters<RouteDefinition<P, Q, B, A>['handler']>[0] {
  if (Object.entries(raw.params).some(([name, value]) => /(^|_)id$/.test(name) && !isUuid(value)))
    throw notFound();
  if (definition.auth === 'key' && raw.principal === null) throw unauthorized();
  const parts = {
    params: check(definition.params, raw.params, 'path'),
    query: check(definition.query, raw.query, 'query'),
    body: check(definition.body, raw.body, 'body'),
  };
  const details = [...parts.params.details, ...parts.query.details, ...parts.body.details];
  if (details.length > 0) throw validationFailed(details);
  const request: ApiRequest = {
    params: parts.params.value,
    query: parts.query.value,
    body: parts.body.value,
    unknown_fields: definition.body ? unknownFields(definition.body, raw.body) : [],
    principal: raw.principal,
    request_id: raw.request_id,
    headers: raw.headers,
    base_url: raw.base_url,
  };
  // The schemas above produced just these types; TypeScript cannot follow a conditional type into a value.
  return trustParsed(request);
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one place where a parsed value gets its static type
function trustParsed<T>(request: ApiRequest): T {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- see parseRequest
  return request as T;
}

function check(
  entries: v.ObjectEntries | undefined,
  value: unknown,
  where: 'path' | 'query' | 'body',
): { value: unknown; details: Detail[] } {
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
  const field = v.getDotPath(issue) ?? where;
  const missing = issue.received === 'undefined';
  const message = missing ? 'Is required' : plainMessage(issue);
  return { field, message, platform: null };
}

/** valibot's own messages quote the value, which may be a secret: say what was expected instead. */
function plainMessage(issue: v.BaseIssue<unknown>): string {
  const isOwn = issue.message.startsWith('Invalid ');
  if (!isOwn) return issue.message;
  if (issue.kind === 'schema') return `Must be ${issue.expected ?? issue.type}`;
  return `Must satisfy ${issue.type}${issue.expected ? ` (${issue.expected})` : ''}`;
}

function unknownFields(entries: v.ObjectEntries, body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.keys(body).filter(name => !Object.hasOwn(entries, name));
}
