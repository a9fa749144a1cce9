import { notFound } from '../../shared/http/errors.ts';
import type { Member, Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getMember } from '../../shared/store/workspaces.ts';

/** Returns a member of the caller's workspace. Throws 404, also for a member of another workspace. */
export async function findMember(services: Services, principal: Principal, id: string): Promise<Member> {
  const member = await getMember(services.table, principal.workspace_id, id);
  if (!member) throw notFound('Member');
  return member;
}
