import * as v from 'valibot';
import { needsTarget, refreshTargets } from '../../shared/connections/refresh-targets.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound, validationFailed } from '../../shared/http/errors.ts';
import type { Connection } from '../../shared/model/profile.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { setDefaultTarget } from '../../shared/store/connections.ts';
import { getTarget } from '../../shared/store/targets.ts';
import { findOwnAccount } from './find.ts';
import { answerPlatformError, PLATFORM_CODES, QUOTA_CODES } from '../../shared/http/platform-errors.ts';
import { accountRecord, AccountRecord } from './record.ts';

const targetId = v.nullable(
  v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('Must not be empty'),
    v.maxLength(200, 'Must be at most 200 characters'),
  ),
);

export const updateAccount = route({
  method: 'PATCH',
  path: '/integrations/{id}',
  operation_id: 'updateAccount',
  summary: 'Choose the default target of an account',
  description:
    'Posts that name no page, organization, location or board go there. `null` removes the choice; an account whose posts need a target then has `needs_target`.',
  tag: 'Connections',
  auth: 'key',
  access: 'creator',
  params: idParam,
  body: { default_target_id: targetId },
  responses: {
    200: { description: 'The updated account', schema: v.object({ account: AccountRecord }) },
    404: { description: 'Account not found' },
    429: {
      description: 'A quota of the platform is used up, or the rate limit of the API key',
      codes: QUOTA_CODES,
    },
    503: { description: 'The platform does not answer', codes: PLATFORM_CODES },
  },
  handler: async ({ params, body: { default_target_id }, principal }, services) => {
    const { account, profile } = await findOwnAccount(services, principal, params.id);
    if (default_target_id !== null) await assertTarget(services, account, default_target_id);
    const choice = {
      default_target_id,
      needs_target: default_target_id === null && (await needsTarget(account)),
    };
    if (!(await setDefaultTarget(services.table, account, choice))) throw notFound('Account');
    const view = accountRecord({ ...account, ...choice }, profile?.profile_name ?? '', services.now());
    return { status: 200, body: { account: view } };
  },
});

/** Throws 400 unless the account has the target. One that is not stored yet is looked for at the platform. */
async function assertTarget(services: Services, account: Connection, id: string): Promise<void> {
  if (await getTarget(services.table, account, id)) return;
  const { targets } = await answerPlatformError(services, account.platform, () =>
    refreshTargets(services, account),
  );
  if (targets.some(target => target.id === id)) return;
  throw validationFailed([
    {
      field: 'default_target_id',
      message: `default_target_id must be a target of this account: see GET /integrations/${account.platform}/targets`,
      platform: account.platform,
    },
  ]);
}
