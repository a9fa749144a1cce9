import middy from '@middy/core';
import { services as ownServices, type Services } from '../runtime/services.ts';
import { methodNotAllowed, notFound } from './errors.ts';
import { pathBelowBase, servedOf, type ApiEvent, type ApiResult } from './event.ts';
import { authenticate } from './authenticate.ts';
import { accessLog, errors, requestId, type Middleware } from './middleware.ts';
import type { Route } from './route.ts';
import type { ApiHandler } from './serve.ts';

/** Whatever the gateway has no route for: 401 for strangers below the base, 405 on a known path, else 404. */
export function serveFallback(routes: readonly Route[], services: Services = ownServices()): ApiHandler {
  return middy<ApiEvent, ApiResult>()
    .use(accessLog())
    .use(requestId())
    .use(errors())
    .use(strangersBelowBase(services))
    .handler((event: ApiEvent) => {
      const allowed = methodsOf(routes, pathBelowBase(event.rawPath) ?? '');
      throw allowed.length > 0 ? methodNotAllowed(allowed) : notFound();
    });
}

/** Unknown paths of the API tell a stranger no more than known ones do. */
function strangersBelowBase(services: Services): Middleware {
  return {
    before: async ({ event }) => {
      if (pathBelowBase(event.rawPath) === null) return;
      servedOf(event).principal = await authenticate(services, event.headers['authorization'], null);
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
