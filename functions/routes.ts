import type { Route } from '../shared/http/route.ts';
import { routes as ai } from './ai/routes.ts';
import { routes as analytics } from './analytics/routes.ts';
import { routes as broadcasts } from './broadcasts/routes.ts';
import { routes as integrations } from './integrations/routes.ts';
import { routes as media } from './media/routes.ts';
import { routes as playlists } from './playlists/routes.ts';
import { routes as posts } from './posts/routes.ts';
import { routes as profiles } from './profiles/routes.ts';
import { routes as queue } from './queue/routes.ts';
import { routes as uploads } from './uploads/routes.ts';
import { routes as webhooks } from './webhooks/routes.ts';
import { routes as workspace } from './workspace/routes.ts';

/** Routes by group. Each group is one Lambda function; the stack, the OpenAPI document and the fallback read this table. */
export const API_GROUPS: Readonly<Record<string, readonly Route[]>> = {
  posts,
  profiles,
  media,
  playlists,
  uploads,
  workspace,
  queue,
  analytics,
  integrations,
  broadcasts,
  webhooks,
  ai,
};
