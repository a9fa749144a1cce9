import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { sign } from '../../shared/aws/key-ring.ts';
import { disconnectAccount } from '../../shared/connections/disconnect.ts';
import { route } from '../../shared/http/define-route.ts';
import { accountsOfRequest, signedRequestBody } from './signed-request.ts';

/** Purpose of the signature in a confirmation code. */
export const DELETION = 'data-deletion';

export const deleteData = route({
  method: 'POST',
  path: '/integrations/{platform}/data-deletion',
  operation_id: 'requestDataDeletion',
  summary: 'Receive that a user wants the data deleted that the app has of them',
  description:
    'Facebook, Instagram and Threads call it; set its URL in the dashboard of the app. The accounts of the user are disconnected, and their tokens and names deleted.',
  tag: 'Connections',
  auth: 'none',
  params: { platform: v.string() },
  body: signedRequestBody,
  takes_form: true,
  responses: {
    200: {
      description: 'The data are deleted; the page shows that',
      schema: v.pipe(v.object({ url: v.string(), confirmation_code: v.string() }), v.title('DataDeletion')),
    },
    400: {
      description: 'The request was not signed with the secret of an app of the service',
      codes: ['BAD_SIGNATURE'],
    },
    404: { description: 'Platform not found' },
  },
  handler: async ({ params, body, base_url }, services) => {
    const accounts = await accountsOfRequest(services, params.platform, body.signed_request);
    for (const account of accounts) await disconnectAccount(services, account);
    // A signed code proves the deletion without a record of whom it concerned.
    const id = randomBytes(8).toString('hex');
    const confirmation_code = `${id}.${sign(await services.keyRing(), DELETION, id)}`;
    const url = `${base_url}/integrations/${params.platform}/data-deletion/${confirmation_code}`;
    return { status: 200, body: { url, confirmation_code } };
  },
});
