import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import type { Member } from '../../shared/model/workspace.ts';
import { addMember as storeMember } from '../../shared/store/workspaces.ts';
import { assertOwner } from './access.ts';
import { emailField, memberNameField, roleField } from './fields.ts';
import { MemberView, memberView } from './view.ts';

export const addMember = route({
  method: 'POST',
  path: '/workspace/members',
  operation_id: 'addMember',
  summary: 'Add a member',
  description: 'For owners. The member can act once there is an API key for them.',
  tag: 'Workspace',
  auth: 'key',
  body: { email: emailField, name: v.optional(memberNameField, null), role: roleField },
  body_example: { email: 'kim@example.com', name: 'Kim', role: 'member' },
  responses: {
    201: { description: 'The member', schema: v.object({ member: MemberView }) },
    403: { description: 'Only owners may do this' },
    409: { description: 'The address is a member already' },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    assertOwner(principal);
    const member: Member = {
      workspace_id: principal.workspace_id,
      user_id: newResourceId(),
      ...body,
      created_at: asked_at,
    };
    if (!(await storeMember(services.table, member))) {
      throw conflict('This e-mail address is a member of the workspace already', { code: 'MEMBER_EXISTS' });
    }
    return { status: 201, body: { member: memberView(member) } };
  },
});
