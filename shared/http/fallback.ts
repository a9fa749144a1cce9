import type { Route } from './route.ts';
import { serve, type ApiHandler } from './serve.ts';

export function serveFallback(routes: readonly Route[]): ApiHandler {
  return serve(routes);
}
