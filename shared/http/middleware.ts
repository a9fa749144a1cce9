import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { allowedMethods } from './allowed-methods.ts';
import { authenticate } from './authenticate.ts';
import { withDocsUrl } from './docs-url.ts';
import { ApiError, methodNotAllowed, notFound } from './errors.ts';
import { baseUrl, pathBelowBase, requestState, toResult, type ApiEvent, type ApiResult } from './event.ts';
import type { Route } from './route.ts';

export type Middleware = middy.MiddlewareObj<ApiEvent, ApiResult>;

/** Sets `X-Request-Id` of every response: the caller's where it is short and plain, otherwise the gateway's. */
export function requestId(): Middleware {
  return {
    before: ({ event }) => {
      event.state = {
        request_id: requestIdOf(event),
        started_at: Date.now(),
        route: null,
        principal: null,
        body: undefined,
        headers: {},
      };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

/** Responses may contain secrets and are never to be read as another type. */
const DEFAULT_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const addHeaders: NonNullable<Middleware['after']> = request => {
  const { request_id, headers } = requestState(request.event);
  request.response = {
    ...request.response,
    headers: { ...DEFAULT_HEADERS, ...headers, ...request.response?.headers, 'x-request-id': request_id },
  };
};

function requestIdOf(event: ApiEvent): string {
  const given = event.headers['x-request-id'];
  if (given && /^[\w.-]{1,64}$/.test(given)) return given;
  return event.requestContext.requestId || randomUUID();
}

/** Logs one line for each request, once its response is known. */
export function accessLog(): Middleware {
  const write: NonNullable<Middleware['after']> = ({ event, response }) => {
    const { route, principal, started_at, request_id } = requestState(event);
    log.info('Request handled', {
      request_id,
      method: event.requestContext.http.method,
      route: route?.path ?? null,
      status: response?.statusCode ?? null,
      workspace_id: principal?.workspace_id ?? null,
      ms: Date.now() - started_at,
    });
  };
  return { after: write, onError: write };
}

/** Converts errors to responses. Of an unexpected error the caller sees only the request id. */
export function errors(): Middleware {
  return {
    onError: request => {
      const { error, event } = request;
      if (error instanceof ApiError) {
        request.response = toResult(withDocsUrl(error.response, baseUrl(event)));
        return;
      }
      const { request_id } = requestState(event);
      log.error('Request failed', { request_id, ...describeError(error) });
      request.response = toResult({ status: 500, body: { error: 'Internal server error', request_id } });
    },
  };
}

/** Finds the route of the gateway's route key. */
export function routing(routes: readonly Route[]): Middleware {
  const byKey = new Map(routes.map(route => [`${route.method} ${route.path}`, route]));
  return {
    before: ({ event }) => {
      const [method = '', path = ''] = event.routeKey.split(' ');
      requestState(event).route = byKey.get(`${method} ${pathBelowBase(path) ?? path}`) ?? null;
    },
  };
}

/** Authenticates requests, except those of routes that need no key. */
export function authentication(services: Services): Middleware {
  return {
    before: async ({ event }) => {
      const state = requestState(event);
      if (state.route?.auth === 'none') return;
      state.principal = await authenticate(services, event.headers['authorization'], state.route);
    },
  };
}

/**
 * Answers 404 for an unknown route, and 405 where the gateway took a known path for an id: it routes `GET /posts/validate`
 * to `GET /posts/{id}`. Runs after authentication, so that paths are not revealed without a key.
 */
export function knownRoute(routes: readonly Route[]): Middleware {
  return {
    before: ({ event }) => {
      const { route } = requestState(event);
      if (!route) throw notFound();
      const allowed = allowedMethods(routes, pathBelowBase(event.rawPath) ?? '');
      if (allowed.length > 0 && !allowed.includes(route.method)) throw methodNotAllowed(allowed);
    },
  };
}
