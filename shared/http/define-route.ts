import * as v from 'valibot';
import { isIdName, isUuid, newId } from '../model/id.ts';
import { assertOwner } from './access.ts';
import { notFound, unauthorized, validationFailed, type ValidationDetail } from './errors.ts';
import { withoutLongLists } from './long-lists.ts';
import { isStrict, queryOf, unknownParameters } from './query.ts';
import type { OnlyDocumentedFields, ResponseOf, Responses } from './response.ts';
import type { Services } from '../runtime/services.ts';
import type { ApiRequest, Auth, BodyErrors, Entries, RawRequest, Route, RouteDefinition } from './route.ts';
import {
  unknownFieldErrors,
  unknownFields,
  unknownNames,
  withHints,
  withWarnings,
} from './unknown-fields.ts';
import { additionalDetails, validateBatch, validateObject } from './validate.ts';

/**
 * Creates a route from its definition. Params, query and body that do not match the schemas answer 400 with every
 * validation error; a path parameter that is not a UUID answers 404. Unknown fields of the body are listed in the
 * `warnings` of a successful response.
 */
export function route<
  const P extends Entries | undefined = undefined,
  const Q extends Entries | undefined = undefined,
  const B extends Entries | undefined = undefined,
  const A extends Auth = 'key',
  const M extends number | undefined = undefined,
  const R extends Responses = Responses,
  const Given extends ResponseOf<R> = ResponseOf<R>,
>(definition: RouteDefinition<P, Q, B, A, M, R, Given> & OnlyDocumentedFields<R, Given>): Route {
  return toRoute(definition);
}

function toRoute<
  P extends Entries | undefined,
  Q extends Entries | undefined,
  B extends Entries | undefined,
  A extends Auth,
  M extends number | undefined,
  R extends Responses,
  Given extends ResponseOf<R>,
>(definition: RouteDefinition<P, Q, B, A, M, R, Given>): Route {
  const { handler, params, query, body, ...rest } = definition;
  return {
    ...rest,
    creates: definition.creates ?? (definition.method === 'POST' && 201 in definition.responses),
    params,
    query,
    body,
    invoke: async (raw, services) => {
      if (!body) return handler(await parseRequest(definition, raw, services), services);
      try {
        const response = await handler(await parseRequest(definition, raw, services), services);
        return withWarnings(response, unknownFields(body, raw.body));
      } catch (error) {
        throw withHints(error, body, raw.body);
      }
    },
  };
}

/** Path parameter of a resource id. */
export const idParam = { id: v.string() };

type RequestOf<Definition extends { handler: (request: never, services: never) => unknown }> = Parameters<
  Definition['handler']
>[0];

/** Validates a request. Throws 400 with every validation error. */
async function parseRequest<
  P extends Entries | undefined,
  Q extends Entries | undefined,
  B extends Entries | undefined,
  A extends Auth,
  M extends number | undefined,
  R extends Responses,
  Given extends ResponseOf<R>,
>(
  definition: RouteDefinition<P, Q, B, A, M, R, Given>,
  raw: RawRequest,
  services: Services,
): Promise<RequestOf<typeof definition>> {
  const { body, details } = withoutLongLists(definition.body ?? {}, raw.body);
  const parsed = validateParts(definition, { ...raw, query: queryOf(raw), body });
  const ofSchemas = [...details, ...additionalDetails(details, parsed.details)];
  const more = await moreBodyErrors(definition.body_errors, body, raw.principal, services);
  const unknown = [...unknownParameters(definition, raw.query), ...refusedBodyFields(definition, raw)];
  const all = [...ofSchemas, ...additionalDetails(ofSchemas, more), ...unknown];
  if (all.length > 0) throw validationFailed(all);
  const request: ApiRequest = {
    ...parsed.parts,
    unknown_fields: unknownNames(definition.body ?? {}, raw.body),
    is_batch: definition.batch !== undefined && Array.isArray(raw.body),
    principal: raw.principal,
    request_id: raw.request_id,
    headers: raw.headers,
    base_url: raw.base_url,
    newResourceId: raw.newResourceId ?? (() => newId(services.now())),
    asked_at: raw.asked_at ?? services.now(),
    is_rerun: raw.is_rerun ?? false,
  };
  return trustParsed(request);
}

async function moreBodyErrors(
  find: BodyErrors | undefined,
  body: unknown,
  principal: RawRequest['principal'],
  services: Services,
): Promise<readonly ValidationDetail[]> {
  if (!find || !principal || typeof body !== 'object' || body === null) return [];
  return find(Object.fromEntries(Object.entries(body)), principal, services);
}

function refusedBodyFields(
  { body, refuses_unknown }: Pick<Route, 'refuses_unknown'> & { body?: Route['body'] },
  raw: RawRequest,
): ValidationDetail[] {
  const refused = isStrict(raw) || refuses_unknown;
  return body && refused ? unknownFieldErrors(body, raw.body, refused) : [];
}

interface Parts {
  parts: Pick<ApiRequest, 'params' | 'query' | 'body'>;
  details: ValidationDetail[];
}

function validateParts(
  definition: Pick<Route, 'auth' | 'access'> & Partial<Pick<Route, 'params' | 'query' | 'body' | 'batch'>>,
  raw: RawRequest,
): Parts {
  if (Object.entries(raw.params).some(([name, value]) => isIdName(name) && !isUuid(value))) throw notFound();
  if (definition.auth === 'key' && raw.principal === null) throw unauthorized();
  if (definition.access === 'owner' && raw.principal) assertOwner(raw.principal);
  const params = validateObject(definition.params, raw.params, 'path');
  const query = validateObject(definition.query, raw.query, 'query');
  const body = definition.batch
    ? validateBatch(definition.body, raw.body, definition.batch)
    : validateObject(definition.body, raw.body, 'body');
  return {
    parts: { params: params.value, query: query.value, body: body.value },
    details: [...params.details, ...query.details, ...body.details],
  };
}

/** The schemas of the route produced exactly these types, which TypeScript cannot derive for a generic definition. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one place where a parsed value gets its static type
function trustParsed<T>(request: ApiRequest): T {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- see above
  return request as T;
}
