import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import type { Member } from '../../shared/model/workspace.ts';
import { addMember as storeMember } from '../../shared/store/workspaces.ts';
import { emailField, memberNameField, roleField } from './fields.ts';
import { MemberRecord, memberRecord } from './record.ts';

export const addMember = route({
  method: 'POST',
  path: '/workspace/members',
  operation_id: 'addMember',
  summary: 'Add a member',
  description: 'Owners only. Create an API key for the new member so that they can use the API.',
  tag: 'Workspace',
  auth: 'key',
  access: 'owner',
  refuses_unknown: true,
  body: { email: emailField, name: v.optional(memberNameField, null), role: roleField },
  body_example: { email: 'kim@example.com', name: 'Kim', role: 'member' },
  responses: {
    201: { description: 'The new member', schema: v.object({ member: MemberRecord }) },
    409: { description: 'The e-mail address is already a member', codes: ['MEMBER_EXISTS'] },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const member: Member = {
      workspace_id: principal.workspace_id,
      user_id: newResourceId(),
      ...body,
      created_at: asked_at,
    };
    if (!(await storeMember(services.table, member))) {
      throw conflict('This e-mail address is already a member of the workspace', { code: 'MEMBER_EXISTS' });
    }
    return { status: 201, body: { member: memberRecord(member) } };
  },
});
