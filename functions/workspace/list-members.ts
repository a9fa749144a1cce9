import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { listMembers as readMembers } from '../../shared/store/workspaces.ts';
import { MemberView, memberView } from './view.ts';

export const listMembers = route({
  method: 'GET',
  path: '/workspace/members',
  operation_id: 'listMembers',
  summary: 'List the members of the workspace',
  tag: 'Workspace',
  auth: 'key',
  responses: {
    200: { description: 'All members', schema: v.object({ members: v.array(MemberView) }) },
  },
  handler: async ({ principal }, services) => {
    const members = await readMembers(services.table, principal.workspace_id);
    return { status: 200, body: { members: members.map(memberView) } };
  },
});
