import * as v from 'valibot';
import { listTargets } from '../../shared/connections/targets.ts';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { readPlatformId } from '../../shared/model/platform.ts';
import { CONNECTORS } from '../../shared/platforms/registry.ts';
import { getConnection } from '../../shared/store/connections.ts';
import { findProfileByName } from '../../shared/store/profiles.ts';
import { answerPlatformError } from './platform-errors.ts';

const TargetsAnswer = v.object({
  targets: v.array(v.object({ id: v.string(), name: v.string(), is_default: v.boolean() })),
  total: v.number(),
});

export const listTargets = route({
  method: 'GET',
  path: '/integrations/{platform}/targets',
  operation_id: 'listTargets',
  summary: "List where an account's posts may go",
  description:
    'Pages, organisations, locations or boards of one login. A platform whose accounts have none answers an empty list.',
  tag: 'Connections',
  auth: 'key',
  params: { platform: v.string() },
  query: { profile_name: v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty')) },
  responses: {
    200: { description: 'The targets', schema: TargetsAnswer },
    404: { description: 'No such platform, profile or account' },
    503: { description: 'The platform does not answer' },
  },
  handler: async ({ params, query, principal }, services) => {
    const platform = readPlatformId(params.platform);
    if (!platform) throw notFound('Platform');
    const profile = await findProfileByName(services.table, principal.workspace_id, query.profile_name);
    if (!profile) throw notFound('Profile');
    if (!CONNECTORS[platform]?.targets) return { status: 200, body: { targets: [], total: 0 } };

    const account = await getConnection(services.table, principal.workspace_id, profile.id, platform);
    if (!account) throw notFound('Account');
    const found = await answerPlatformError(platform, () => listTargets(services, account));
    const targets = found.map(({ id, name }) => ({
      id,
      name,
      is_default: id === account.default_target_id,
    }));
    return { status: 200, body: { targets, total: targets.length } };
  },
});
