import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { listApiKeys as readKeys } from '../../shared/store/workspaces.ts';
import { ApiKeyRecord, apiKeyRecord } from './record.ts';

export const listApiKeys = route({
  method: 'GET',
  path: '/api-keys',
  operation_id: 'listApiKeys',
  summary: 'List API keys',
  description: 'Owners get all keys of the workspace, members their own.',
  tag: 'API keys',
  auth: 'key',
  responses: {
    200: { description: 'The keys', schema: v.object({ api_keys: v.array(ApiKeyRecord) }) },
  },
  handler: async ({ principal }, services) => {
    const keys = await readKeys(services.table, principal.workspace_id);
    const visible = keys.filter(key => principal.role === 'owner' || key.user_id === principal.user_id);
    return { status: 200, body: { api_keys: visible.map(apiKeyRecord) } };
  },
});
