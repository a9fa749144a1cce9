import type { Route } from '../../shared/http/route.ts';
import { bestTimes } from './best-times.ts';
import { postAnalytics } from './post-analytics.ts';

/** One route per row. */
export const routes: readonly Route[] = [bestTimes, postAnalytics];
