import * as v from 'valibot';
import { deauthorizeAccount } from '../../shared/connections/deauthorize.ts';
import { route } from '../../shared/http/define-route.ts';
import { accountsOfRequest, signedRequestBody } from './signed-request.ts';

export const deauthorize = route({
  method: 'POST',
  path: '/integrations/{platform}/deauthorize',
  operation_id: 'deauthorizeAccounts',
  summary: 'Receive that a user removed the app at a platform',
  description:
    'Facebook, Instagram and Threads call it; set its URL in the dashboard of the app. The accounts of the user must be reconnected.',
  tag: 'Connections',
  auth: 'none',
  params: { platform: v.string() },
  body: signedRequestBody,
  takes_form: true,
  responses: {
    200: { description: 'The accounts are marked', schema: v.object({ success: v.literal(true) }) },
    400: {
      description: 'The request was not signed with the secret of an app of the service',
      codes: ['BAD_SIGNATURE'],
    },
    404: { description: 'Platform not found' },
  },
  handler: async ({ params, body }, services) => {
    const accounts = await accountsOfRequest(services, params.platform, body.signed_request);
    for (const account of accounts) await deauthorizeAccount(services, account);
    return { status: 200, body: { success: true } } as const;
  },
});
