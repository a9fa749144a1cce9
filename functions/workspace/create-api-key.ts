import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { forbidden } from '../../shared/http/errors.ts';
import { createApiKey as issueKey } from '../../shared/runtime/bootstrap.ts';
import { findMember } from './access.ts';
import { keyNameField } from './fields.ts';
import { ApiKeyRecord, apiKeyRecord } from './record.ts';

export const createApiKey = route({
  method: 'POST',
  path: '/api-keys',
  operation_id: 'createApiKey',
  summary: 'Create an API key',
  description:
    'The key is returned once and cannot be retrieved later. It acts as its user: owners can create keys for every ' +
    'member, members for themselves only.',
  tag: 'API keys',
  auth: 'key',
  body: { name: keyNameField, user_id: v.nullish(v.pipe(v.string(), v.uuid('Must be a UUID'))) },
  body_example: { name: 'Website' },
  responses: {
    201: { description: 'The new key', schema: v.object({ api_key: ApiKeyRecord, key: v.string() }) },
    403: { description: 'Members can create API keys for themselves only' },
    404: { description: 'Member not found' },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const userId = body.user_id ?? principal.user_id;
    if (userId !== principal.user_id && principal.role !== 'owner') {
      throw forbidden('Members can create API keys for themselves only');
    }
    const member = await findMember(services, principal, userId);
    const issued = await issueKey(services.table, member, body.name, asked_at, newResourceId());
    return { status: 201, body: { api_key: apiKeyRecord(issued.record), key: issued.key } };
  },
});
