import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { listMembers as readMembers } from '../../shared/store/workspaces.ts';
import { MemberRecord, memberRecord } from './record.ts';

export const listMembers = route({
  method: 'GET',
  path: '/workspace/members',
  operation_id: 'listMembers',
  summary: 'List the members of the workspace',
  tag: 'Workspace',
  auth: 'key',
  responses: {
    200: { description: 'All members', schema: v.object({ members: v.array(MemberRecord) }) },
  },
  handler: async ({ principal }, services) => {
    const members = await readMembers(services.table, principal.workspace_id);
    return { status: 200, body: { members: members.map(memberRecord) } };
  },
});
