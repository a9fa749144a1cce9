import { serveFallback } from '../../shared/http/fallback.ts';
import { API_GROUPS } from '../routes.ts';

/** Whatever no route takes: 404 for unknown paths, 405 for known ones. */
export const handler = serveFallback(Object.values(API_GROUPS).flat());
