import * as v from 'valibot';
import { decodeCursor, encodeCursor, pageQuery } from '../../shared/http/cursor.ts';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { idField } from '../../shared/http/fields.ts';
import { nextPageLink } from '../../shared/http/link.ts';
import { listAssets } from '../../shared/store/assets.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { AssetView, assetView } from './view.ts';

/** Default `limit`: so many assets stay below Lambda's response limit of 6 MB. */
const DEFAULT_LIMIT = 1000;

export const listMedia = route({
  method: 'GET',
  path: '/agency/media',
  operation_id: 'listMediaAssets',
  summary: 'List media assets, newest first',
  description:
    `Returns at most \`limit\` assets, by default ${DEFAULT_LIMIT}. Where more follow, the \`Link\` header contains ` +
    'the URL of the next page (`rel="next"`).',
  tag: 'Media assets',
  auth: 'key',
  query: {
    profile_id: v.optional(idField),
    limit: v.optional(pageQuery.limit.wrapped),
    cursor: pageQuery.cursor,
  },
  responses: {
    200: { description: 'The assets', schema: v.array(AssetView) },
    404: { description: 'Profile not found' },
  },
  handler: async ({ query, principal, base_url }, services) => {
    const { profile_id, limit = DEFAULT_LIMIT } = query;
    const { workspace_id } = principal;
    if (profile_id !== undefined && !(await getProfile(services.table, workspace_id, profile_id))) {
      throw notFound('Profile');
    }
    const ring = await services.keyRing();
    const scope = `media:${workspace_id}:${profile_id ?? ''}`;
    const before = decodeCursor(ring, scope, query.cursor);
    const { assets, more } = await listAssets(services.table, workspace_id, { profile_id, limit, before });
    const last = assets.at(-1);
    const next = more && last ? { ...query, cursor: encodeCursor(ring, scope, last.id) } : null;
    const headers = next ? nextPageLink(`${base_url}/agency/media`, next) : {};
    return { status: 200, body: assets.map(assetView), headers };
  },
});
