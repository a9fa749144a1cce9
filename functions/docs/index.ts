import { lazy } from '../../shared/aws/clients.ts';
import { serveFallback } from '../../shared/http/fallback.ts';
import { documentedRoutes } from './documented-routes.ts';
import { routes } from './routes.ts';

/** Serves the API documentation, and answers requests without a route: 404 for unknown paths, 405 for known ones. */
export const handler = serveFallback(lazy(documentedRoutes), routes);
