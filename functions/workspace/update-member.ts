import * as v from 'valibot';
import { idParam, route } from '../../shared/http/define-route.ts';
import { updateMember as storeChanges } from '../../shared/store/workspaces.ts';
import { assertOwner } from './access.ts';
import { changeMember } from './change-member.ts';
import { memberNameField, roleField } from './fields.ts';
import { MemberView, memberView } from './view.ts';

export const updateMember = route({
  method: 'PATCH',
  path: '/workspace/members/{id}',
  operation_id: 'updateMember',
  summary: "Change a member's role or name",
  description: 'For owners; effective within 30 s. The last owner stays one.',
  tag: 'Workspace',
  auth: 'key',
  params: idParam,
  body: { role: v.exactOptional(roleField), name: v.exactOptional(memberNameField) },
  body_example: { role: 'owner' },
  responses: {
    200: { description: 'The member as it is now', schema: v.object({ member: MemberView }) },
    403: { description: 'Only owners may do this' },
    404: { description: 'No such member' },
    409: { description: 'It is the last owner' },
  },
  handler: async ({ params, body, principal }, services) => {
    assertOwner(principal);
    const member = await changeMember(services, principal, params.id, current =>
      storeChanges(services.table, current, body),
    );
    return { status: 200, body: { member: memberView({ ...member, ...body }) } };
  },
});
