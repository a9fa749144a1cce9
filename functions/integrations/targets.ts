import * as v from 'valibot';
import { refreshTargets } from '../../shared/connections/refresh-targets.ts';
import { connectorOf } from '../../shared/connections/connector.ts';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { findPlatform } from '../../shared/http/platform.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import { findProfileAccount } from './find.ts';
import { answerPlatformError, PLATFORM_CODES, QUOTA_CODES } from '../../shared/http/platform-errors.ts';

const TargetsView = v.pipe(
  v.object({
    targets: v.array(v.object({ id: v.string(), name: v.string(), is_default: v.boolean() })),
    total: v.number(),
  }),
  v.title('AccountTargets'),
);

export const listTargets = route({
  method: 'GET',
  path: '/integrations/{platform}/targets',
  operation_id: 'listAccountTargets',
  summary: 'List the targets of an account',
  description:
    'Pages, organizations, locations or boards that one login can post to, read from the platform. Empty for platforms whose accounts have none. Where posts need a target and there is exactly one, it becomes the default.',
  tag: 'Connections',
  auth: 'key',
  params: { platform: v.string() },
  query: { profile_name: profileNameField },
  responses: {
    200: { description: 'The targets', schema: TargetsView },
    404: { description: 'Platform, profile or account not found' },
    429: {
      description: 'A quota of the platform is used up, or the rate limit of the API key',
      codes: QUOTA_CODES,
    },
    503: { description: 'The platform does not answer', codes: PLATFORM_CODES },
  },
  handler: async ({ params, query, principal }, services) => {
    const platform = findPlatform(params.platform);
    if (!(await connectorOf(platform))?.listTargets) {
      await requireProfileByName(services, principal, query.profile_name);
      return { status: 200, body: { targets: [], total: 0 } };
    }
    const account = await findProfileAccount(services, principal, query.profile_name, platform);
    const { targets, connection } = await answerPlatformError(services, platform, () =>
      refreshTargets(services, account),
    );
    const views = targets.map(({ id, name }) => ({
      id,
      name,
      is_default: id === connection.default_target_id,
    }));
    return { status: 200, body: { targets: views, total: views.length } };
  },
});
