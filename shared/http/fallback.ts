import middy from '@middy/core';
import { services as ownServices, type Services } from '../runtime/services.ts';
import { methodNotAllowed, notFound } from './errors.ts';
import { pathBelowBase, rawRequest, servedOf, toResult, type ApiEvent, type ApiResult } from './event.ts';
import { authenticate } from './authenticate.ts';
import { accessLog, errors, requestId, routing, type Middleware } from './middleware.ts';
import type { Route } from './route.ts';
import type { ApiHandler } from './serve.ts';

/**
 * Serves `own` routes, which need no key, and answers whatever the gateway has no route for: 401 for strangers below
 * the base, 405 on a known path, else 404.
 */
export function serveFallback(
  others: readonly Route[],
  own: readonly Route[],
  services: Services = ownServices(),
): ApiHandler {
  const all = [...others, ...own];
  return middy<ApiEvent, ApiResult>()
    .use(accessLog())
    .use(requestId())
    .use(errors())
    .use(routing(own))
    .use(strangersBelowBase(services))
    .handler(async (event: ApiEvent) => {
      const { route } = servedOf(event);
      if (route) return toResult(await route.invoke(rawRequest(event), services));
      const allowed = methodsOf(all, pathBelowBase(event.rawPath) ?? '');
      throw allowed.length > 0 ? methodNotAllowed(allowed) : notFound();
    });
}

/** Unknown paths of the API tell a stranger no more than known ones do. */
function strangersBelowBase(services: Services): Middleware {
  return {
    before: async ({ event }) => {
      const served = servedOf(event);
      if (served.route || pathBelowBase(event.rawPath) === null) return;
      served.principal = await authenticate(services, event.headers['authorization'], null);
    },
  };
}

/** Methods that a concrete path takes. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  return routes.filter(route => matches(route.path, path)).map(route => route.method);
}

function matches(template: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = template.split('/');
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}
