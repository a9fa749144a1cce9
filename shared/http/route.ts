import type * as v from 'valibot';
import type { Plan, Principal } from '../model/workspace.ts';
import type { Services } from '../runtime/services.ts';
import type { ApiResponse } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Entries = v.ObjectEntries;
type Parsed<E extends Entries | undefined> = E extends Entries
  ? v.InferOutput<v.ObjectSchema<E, undefined>>
  : undefined;

/** What a handler gets: everything in it has passed the route's schemas. */
export interface ApiRequest<P = unknown, Q = unknown, B = unknown, A extends Auth = Auth> {
  params: P;
  query: Q;
  body: B;
  /** Whether the body of a route that takes batches was an array: faults then name their place, `[3].title`. */
  is_batch: boolean;
  principal: A extends 'key' ? Principal : null;
  request_id: string;
  headers: Readonly<Record<string, string>>;
  /** Base of the API as the caller reached it, version included: `https://…/v1`. */
  base_url: string;
  /**
   * Id of a resource that the request creates, a UUID v7. A request that is repeated under its `Idempotency-Key` after
   * a crash gets the same ids in the same order, so that what exists already can be recognised.
   */
  newResourceId: () => string;
  /**
   * When a resource that the request creates was asked for, epoch milliseconds. A repetition after a crash has the time
   * of the first run, as it has its ids.
   */
  asked_at: number;
}

export type Auth = 'key' | 'none';

/** One documented answer. A schema with a `v.title` gets that name in the document and is written there once. */
export interface ResponseDoc {
  description: string;
  /** Of a JSON body. Error statuses without one have the body that all errors of that status have. */
  schema?: v.GenericSchema;
  /** Default: made from the schema. */
  example?: unknown;
  /** Of a body that is not JSON. */
  content_type?: string;
  /** Beside those that every such answer has. */
  headers?: readonly string[];
}

/** What the OpenAPI document says of a route beyond its schemas. */
export interface RouteDoc {
  summary: string;
  /** Markdown. */
  description?: string;
  tag: string;
  /** Name of the operation in generated clients. Default: made from method and path. */
  operation_id?: string;
  /** A body that passes. Default: made from the schema. */
  body_example?: unknown;
  /** Schemas of body fields that the route itself takes as they come. */
  body_docs?: Entries;
}

export interface RouteDefinition<
  P extends Entries | undefined,
  Q extends Entries | undefined,
  B extends Entries | undefined,
  A extends Auth,
  M extends number | undefined = undefined,
> extends RouteDoc {
  method: Method;
  /** Below `/v1`, parameters in braces: `/posts/{id}`. */
  path: string;
  auth: A;
  /** Takes an `Idempotency-Key`. Default: a POST that documents 201. */
  creates?: boolean;
  /** Lowest plan that may call it; the feature's name goes into the 403. */
  plan?: { feature: string; minimum: Plan };
  params?: P;
  query?: Q;
  body?: B;
  /** The body may also come as a multipart form of the same fields. */
  takes_form?: boolean;
  /** The body may also be an array of up to so many such objects; the handler gets an array in both cases. */
  batch?: M;
  /** Documented answers beyond those that every route has (400, 401, 403, 405, 413, 415, 429, 500). */
  responses: Record<number, ResponseDoc>;
  handler: (
    request: ApiRequest<Parsed<P>, Parsed<Q>, M extends number ? Parsed<B>[] : Parsed<B>, A>,
    services: Services,
  ) => Promise<ApiResponse>;
}

/** A route with its types closed over: what `serve`, the stack and the OpenAPI document read. */
export interface Route extends RouteDoc {
  method: Method;
  path: string;
  auth: Auth;
  creates: boolean;
  plan?: { feature: string; minimum: Plan };
  params: Entries | undefined;
  query: Entries | undefined;
  body: Entries | undefined;
  takes_form?: boolean;
  batch?: number | undefined;
  responses: Record<number, ResponseDoc>;
  /** Validates the raw parts of a request, then calls the handler. */
  invoke: (raw: RawRequest, services: Services) => Promise<ApiResponse>;
}

/** A request before its validation. */
export interface RawRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  /** Parsed JSON; undefined where the route takes no body. */
  body: unknown;
  principal: Principal | null;
  request_id: string;
  headers: Readonly<Record<string, string>>;
  base_url: string;
  /** Default: ids that no other request gets. */
  newResourceId?: () => string;
  /** Default: now. */
  asked_at?: number;
}
