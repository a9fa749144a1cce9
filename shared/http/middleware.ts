import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import { parseJsonStrictly } from '../model/json.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { authenticate } from './authenticate.ts';
import { ApiError, bodyTooLarge, malformedJson, notFound, unsupportedMediaType } from './errors.ts';
import {
  bodyBytes,
  bodyText,
  pathBelowBase,
  servedOf,
  toResult,
  type ApiEvent,
  type ApiResult,
} from './event.ts';
import { isForm, readForm } from './form.ts';
import type { Route } from './route.ts';

export type Middleware = middy.MiddlewareObj<ApiEvent, ApiResult>;

/** Largest JSON body. Media go through the upload endpoints. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** Names the request: a short clean `X-Request-Id` of the caller, else the gateway's, comes back on every answer. */
export function requestId(): Middleware {
  return {
    before: ({ event }) => {
      event.served = {
        request_id: requestIdOf(event),
        started_at: Date.now(),
        route: null,
        principal: null,
        body: undefined,
        headers: {},
      };
    },
    after: stamp,
    onError: stamp,
  };
}

const stamp: NonNullable<Middleware['after']> = request => {
  const { request_id, headers } = servedOf(request.event);
  request.response = {
    ...request.response,
    headers: { ...headers, ...request.response?.headers, 'x-request-id': request_id },
  };
};

function requestIdOf(event: ApiEvent): string {
  const given = event.headers['x-request-id'];
  if (given && /^[\w.-]{1,64}$/.test(given)) return given;
  return event.requestContext.requestId || randomUUID();
}

/** One line a request, when its answer is known. */
export function accessLog(): Middleware {
  const write: NonNullable<Middleware['after']> = ({ event, response }) => {
    const { route, principal, started_at, request_id } = servedOf(event);
    log.info('Request', {
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

/** The one place where errors become answers. Nothing of an unexpected error leaves but the request id. */
export function errors(): Middleware {
  return {
    onError: request => {
      const { error, event } = request;
      if (error instanceof ApiError) {
        request.response = toResult(error.response);
        return;
      }
      const { request_id } = servedOf(event);
      log.error('A request failed', { request_id, ...describeError(error) });
      request.response = toResult({ status: 500, body: { error: 'Internal server error', request_id } });
    },
  };
}

/** Finds the route by the gateway's route key. */
export function routing(routes: readonly Route[]): Middleware {
  const byKey = new Map(routes.map(route => [`${route.method} ${route.path}`, route]));
  return {
    before: ({ event }) => {
      const [method = '', path = ''] = event.routeKey.split(' ');
      servedOf(event).route = byKey.get(`${method} ${pathBelowBase(path) ?? path}`) ?? null;
    },
  };
}

/** Checks the key of every request but those of routes that need none. */
export function authentication(services: Services): Middleware {
  return {
    before: async ({ event }) => {
      const served = servedOf(event);
      if (served.route?.auth === 'none') return;
      served.principal = await authenticate(services, event.headers['authorization'], served.route);
    },
  };
}

/** Requires what was found to exist; after authentication, so that a stranger learns nothing of the paths. */
export function knownRoute(): Middleware {
  return {
    before: ({ event }) => {
      if (!servedOf(event).route) throw notFound();
    },
  };
}

/** Reads the body where the route takes one: JSON, or a form. An empty body counts as an empty object. */
export function readBody(): Middleware {
  return {
    before: async ({ event }) => {
      const served = servedOf(event);
      if (!served.route?.body) return;
      const type = event.headers['content-type'];
      if (served.route.takes_form === true && type !== undefined && isForm(type)) {
        served.body = await readForm(bodyBytes(event), type);
        return;
      }
      const text = bodyText(event);
      if (Buffer.byteLength(text) > MAX_JSON_BYTES) throw bodyTooLarge(MAX_JSON_BYTES);
      if (text.trim() === '') {
        served.body = {};
        return;
      }
      if (type && !/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
        throw unsupportedMediaType(
          served.route.takes_form === true ? 'application/json or multipart/form-data' : 'application/json',
        );
      const parsed = parseJsonStrictly(text);
      if (parsed === undefined) throw malformedJson();
      served.body = parsed;
    },
  };
}
