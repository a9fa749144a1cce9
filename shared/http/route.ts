import type * as v from 'valibot';
import type { Plan, Principal } from '../model/workspace.ts';
import type { Services } from '../runtime/services.ts';
import type { Access } from './access.ts';
import type { ApiResponse, ValidationDetail } from './errors.ts';
import type { ResponseOf, Responses } from './response.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Entries = v.ObjectEntries;
type Parsed<E extends Entries | undefined> = E extends Entries
  ? v.InferOutput<v.ObjectSchema<E, undefined>>
  : undefined;

/** A request as its handler gets it: params, query and body have passed the schemas of the route. */
export interface ApiRequest<P = unknown, Q = unknown, B = unknown, A extends Auth = Auth> {
  params: P;
  query: Q;
  body: B;
  /** Names of the top-level fields of the body that the schema of the route does not have. */
  unknown_fields: readonly string[];
  /** Whether the body of a batch route was an array. Field paths in errors then start with the index: `[3].title`. */
  is_batch: boolean;
  principal: A extends 'key' ? Principal : null;
  request_id: string;
  headers: Readonly<Record<string, string>>;
  /** Base URL of the API as the caller reached it, including the version: `https://…/v1`. */
  base_url: string;
  /**
   * Returns the id for a resource that the request creates, a UUID v7. A retry with the same `Idempotency-Key` gets
   * the same ids in the same order, so that a handler recognises what an interrupted run already created.
   */
  newResourceId: () => string;
  /** When the request was first received, epoch milliseconds. A retry after an interrupted run keeps this time. */
  asked_at: number;
  /** An earlier run with the same `Idempotency-Key` ended without a response: it may have stored what this one creates. */
  is_rerun: boolean;
}

export type Auth = 'key' | 'none';

/** Returns the errors of a body, as it was sent, that its schemas cannot find. */
export type BodyErrors = (
  body: Readonly<Record<string, unknown>>,
  principal: Principal,
  services: Services,
) => readonly ValidationDetail[] | Promise<readonly ValidationDetail[]>;

/** What the OpenAPI document shows of a route in addition to its schemas. */
export interface RouteDoc {
  summary: string;
  /** Markdown. */
  description?: string;
  tag: string;
  /** Default: every user of the workspace. The handler of a `creator` route calls `assertCreator`. */
  access?: Access;
  /**
   * Name of the operation in generated clients: a verb of its method (`list` or `get`, `create` or another, `replace`,
   * `update`, `delete` or another) and what it acts on.
   */
  operation_id: string;
  /** A valid body. Default: generated from the schema. */
  body_example?: unknown;
  /** Documentation schemas of body fields that the route itself does not validate. */
  body_docs?: Entries;
  /** Documentation schemas of the form's fields, where they are not those of the JSON body. */
  form_docs?: Entries;
}

/** The one description of an endpoint: API Gateway route, validation, handler types and OpenAPI operation. */
export interface RouteDefinition<
  P extends Entries | undefined,
  Q extends Entries | undefined,
  B extends Entries | undefined,
  A extends Auth,
  M extends number | undefined,
  R extends Responses,
  Given extends ResponseOf<R>,
> extends RouteDoc {
  method: Method;
  /** Path below `/v1` with parameters in braces: `/posts/{id}`. */
  path: string;
  auth: A;
  /** Whether the route takes an `Idempotency-Key`. Default: true for a POST that documents 201. */
  creates?: boolean;
  /** Lowest plan that includes the route; the feature's name appears in the 403. */
  plan?: { feature: string; minimum: Plan };
  params?: P;
  query?: Q;
  body?: B;
  /**
   * Finds errors that depend on the time, on what is stored or on two fields together: they are answered together with
   * those of the schemas. An error of a schema hides those of the same field.
   */
  body_errors?: BodyErrors;
  /**
   * Unknown body fields answer 400 instead of a warning: all, or those whose name matches. A caller can ask for all with
   * `Prefer: handling=strict`.
   */
  refuses_unknown?: boolean | RegExp;
  /** The same fields may also be sent as a multipart form. */
  takes_form?: boolean;
  /** The body may also be an array of up to this many objects; the handler gets an array in both cases. */
  batch?: M;
  /** Documented responses beyond those that every route has (400, 401, 403, 405, 413, 415, 429, 500). */
  responses: R;
  handler: (
    request: ApiRequest<Parsed<P>, Parsed<Q>, M extends number ? Parsed<B>[] : Parsed<B>, A>,
    services: Services,
  ) => Promise<Given>;
}

/** A route without type parameters, as the middleware, the stack and the OpenAPI document read it. */
export interface Route extends RouteDoc {
  method: Method;
  path: string;
  auth: Auth;
  creates: boolean;
  plan?: { feature: string; minimum: Plan };
  params: Entries | undefined;
  query: Entries | undefined;
  body: Entries | undefined;
  refuses_unknown?: boolean | RegExp;
  takes_form?: boolean;
  batch?: number | undefined;
  responses: Responses;
  /** Validates a request, then calls the handler. */
  invoke: (raw: RawRequest, services: Services) => Promise<ApiResponse>;
}

/** A request before validation. */
export interface RawRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  /** Parsed JSON; undefined where the route takes no body. */
  body: unknown;
  principal: Principal | null;
  request_id: string;
  headers: Readonly<Record<string, string>>;
  base_url: string;
  /** Default: a new unique id on each call. */
  newResourceId?: () => string;
  /** Default: now. */
  asked_at?: number;
  /** Default: false. */
  is_rerun?: boolean;
}
