import type { Route } from '../../shared/http/route.ts';

/** One row an endpoint. */
export const routes: readonly Route[] = [];
