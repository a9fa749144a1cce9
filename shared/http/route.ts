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
  /** Top-level names of the body that the schema does not know. */
  unknown_fields: readonly string[];
  principal: A extends 'key' ? Principal : null;
  request_id: string;
  headers: Readonly<Record<string, string>>;
  /** Base of the API as the caller reached it, version included: `https://…/v1`. */
  base_url: string;
}

export type Auth = 'key' | 'none';

export interface ResponseDoc {
  description: string;
  schema?: v.GenericSchema;
}

export interface RouteDefinition<
  P extends Entries | undefined,
  Q extends Entries | undefined,
  B extends Entries | undefined,
  A extends Auth,
> {
  method: Method;
  /** Below `/v1`, parameters in braces: `/posts/{id}`. */
  path: string;
  summary: string;
  tag: string;
  auth: A;
  /** Lowest plan that may call it; the feature's name goes into the 403. */
  plan?: { feature: string; minimum: Plan };
  params?: P;
  query?: Q;
  body?: B;
  /** Documented answers beyond those that every route has (400, 401, 403, 405, 413, 415, 429, 500). */
  responses: Record<number, ResponseDoc>;
  handler: (
    request: ApiRequest<Parsed<P>, Parsed<Q>, Parsed<B>, A>,
    services: Services,
  ) => Promise<ApiResponse>;
}

/** A route with its types closed over: what `serve`, the stack and the OpenAPI document read. */
export interface Route {
  method: Method;
  path: string;
  summary: string;
  tag: string;
  auth: Auth;
  plan?: { feature: string; minimum: Plan };
  params: Entries | undefined;
  query: Entries | undefined;
  body: Entries | undefined;
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
}
