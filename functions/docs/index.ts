import { serveFallback } from '../../shared/http/fallback.ts';
import { API_GROUPS } from '../routes.ts';
import { routes } from './routes.ts';

/** The description of the API, and whatever no route takes: 404 for unknown paths, 405 for known ones. */
export const handler = serveFallback(Object.values(API_GROUPS).flat(), routes);
