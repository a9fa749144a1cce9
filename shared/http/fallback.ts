import middy from '@middy/core';
import { allowedMethods, type RouteKey } from './allowed-methods.ts';
import { services as ownServices, type Services } from '../runtime/services.ts';
import { methodNotAllowed, notFound } from './errors.ts';
import { pathBelowBase, rawRequest, requestState, toResult, type ApiEvent, type ApiResult } from './event.ts';
import { authenticate } from './authenticate.ts';
import { accessLog, errors, requestId, routing, type Middleware } from './middleware.ts';
import type { Route } from './route.ts';
import type { ApiHandler } from './serve.ts';

/**
 * Serves `own` routes, which need no key, and answers every request that has no gateway route: below the base path 401
 * without a valid key, 405 on a known path, otherwise 404. `keyed` returns the routes of the other functions, whose code
 * the fallback does not contain.
 */
export function serveFallback(
  keyed: () => readonly RouteKey[],
  own: readonly Route[],
  services: Services = ownServices(),
): ApiHandler {
  return middy<ApiEvent, ApiResult>()
    .use(accessLog())
    .use(requestId())
    .use(errors())
    .use(routing(own))
    .use(authenticationBelowBase(services))
    .handler(async (event: ApiEvent) => {
      const { route } = requestState(event);
      if (route) return toResult(await route.invoke(rawRequest(event), services));
      const allowed = allowedMethods([...keyed(), ...own], pathBelowBase(event.rawPath) ?? '');
      throw allowed.length > 0 ? methodNotAllowed(allowed) : notFound();
    });
}

/** Without a key, unknown paths of the API answer the same as known ones. */
function authenticationBelowBase(services: Services): Middleware {
  return {
    before: async ({ event }) => {
      const state = requestState(event);
      if (state.route || pathBelowBase(event.rawPath) === null) return;
      state.principal = await authenticate(services, event.headers['authorization'], null);
    },
  };
}
