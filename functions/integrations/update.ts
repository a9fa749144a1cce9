import * as v from 'valibot';
import { accountRecord } from '../../shared/connections/account.ts';
import { listTargets } from '../../shared/connections/targets.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { notFound, validationFailed } from '../../shared/http/errors.ts';
import type { Connection } from '../../shared/model/profile.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { setDefaultTarget } from '../../shared/store/connections.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { findAccount } from './find.ts';
import { answerPlatformError } from './platform-errors.ts';
import { AccountView } from './view.ts';

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
    'Posts that name no page, organisation, location or board go there. `null` takes the choice back.',
  tag: 'Connections',
  auth: 'key',
  params: idParam,
  body: { default_target_id: targetId },
  responses: {
    200: { description: 'The account as it is now', schema: v.object({ account: AccountView }) },
    404: { description: 'No such account' },
    503: { description: 'The platform does not answer' },
  },
  handler: async ({ params, body, principal }, services) => {
    const account = await findAccount(services, principal, params.id);
    if (body.default_target_id !== null) await assertTarget(services, account, body.default_target_id);
    if (!(await setDefaultTarget(services.table, account, body.default_target_id))) throw notFound('Account');
    const profile = await getProfile(services.table, principal.workspace_id, account.profile_id);
    const changed = { ...account, default_target_id: body.default_target_id };
    return { status: 200, body: { account: accountRecord(changed, profile?.profile_name ?? '') } };
  },
});

/** Throws 400 for what is none of the account's targets. */
async function assertTarget(services: Services, account: Connection, id: string): Promise<void> {
  const targets = await answerPlatformError(account.platform, () => listTargets(services, account));
  if (targets.some(target => target.id === id)) return;
  throw validationFailed([
    { field: 'default_target_id', message: 'Is no target of this account', platform: account.platform },
  ]);
}
