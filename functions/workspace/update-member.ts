import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { updateMember as storeChanges } from '../../shared/store/workspaces.ts';
import { changeMember } from './change-member.ts';
import { memberNameField, roleField } from './fields.ts';
import { MemberRecord, memberRecord } from './record.ts';

export const updateMember = route({
  method: 'PATCH',
  path: '/workspace/members/{id}',
  operation_id: 'updateMember',
  summary: 'Change role or name of a member',
  description: 'Owners only. Takes effect within 30 s. The last owner cannot become a member.',
  tag: 'Workspace',
  auth: 'key',
  access: 'owner',
  params: idParam,
  refuses_unknown: true,
  body: { role: v.exactOptional(roleField), name: v.exactOptional(memberNameField) },
  body_example: { role: 'owner' },
  responses: {
    200: { description: 'The changed member', schema: v.object({ member: MemberRecord }) },
    404: { description: 'Member not found' },
    409: { description: 'The member is the last owner', codes: ['LAST_OWNER'] },
  },
  handler: async ({ params, body, principal }, services) => {
    const member = await changeMember(services, principal, params.id, current =>
      storeChanges(services.table, current, body),
    );
    return { status: 200, body: { member: memberRecord({ ...member, ...body }) } };
  },
});
