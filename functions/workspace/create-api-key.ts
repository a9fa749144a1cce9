import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { forbidden } from '../../shared/http/errors.ts';
import { createApiKey as issueKey } from '../../shared/runtime/bootstrap.ts';
import { findMember } from './access.ts';
import { keyNameField } from './fields.ts';
import { ApiKeyView, apiKeyView } from './view.ts';

export const createApiKey = route({
  method: 'POST',
  path: '/api-keys',
  operation_id: 'createApiKey',
  summary: 'Make an API key; it is shown this once',
  description: 'A key acts as its user. Owners may make keys for every member, members for themselves.',
  tag: 'API keys',
  auth: 'key',
  body: { name: keyNameField, user_id: v.nullish(v.pipe(v.string(), v.uuid('Must be a UUID'))) },
  body_example: { name: 'Website' },
  responses: {
    201: { description: 'The key', schema: v.object({ api_key: ApiKeyView, key: v.string() }) },
    403: { description: 'Members make keys for themselves only' },
    404: { description: 'No such member' },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const userId = body.user_id ?? principal.user_id;
    if (userId !== principal.user_id && principal.role !== 'owner') {
      throw forbidden('Members can make API keys for themselves only');
    }
    const member = await findMember(services, principal, userId);
    const issued = await issueKey(services.table, member, body.name, asked_at, newResourceId());
    return { status: 201, body: { api_key: apiKeyView(issued.record), key: issued.key } };
  },
});
