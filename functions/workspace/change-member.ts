import { conflict } from '../../shared/http/errors.ts';
import type { Member, Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { MemberChange } from '../../shared/store/workspaces.ts';
import { findMember } from './access.ts';

/** Changes or removes a member; retries when the member was changed meanwhile. Throws 409 for the last owner. */
export async function changeMember(
  services: Services,
  principal: Principal,
  id: string,
  change: (member: Member) => Promise<MemberChange>,
): Promise<Member> {
  for (;;) {
    const member = await findMember(services, principal, id);
    const outcome = await change(member);
    if (outcome === 'done') return member;
    if (outcome === 'last owner') {
      throw conflict('A workspace must keep at least one owner; make another member an owner first', {
        code: 'LAST_OWNER',
      });
    }
  }
}
