import type { Member } from '../../shared/model/workspace.ts';
import { createApiKey } from '../../shared/runtime/bootstrap.ts';
import { listMembers } from '../../shared/store/workspaces.ts';
import { optional, required, type Command } from './command.ts';
import { parseName } from './parse.ts';
import { fields } from './text.ts';

export const keyCreate: Command = {
  name: 'key create',
  arguments: '--workspace ID --name NAME [--user ID]',
  summary: 'creates an API key for a user (default: an owner) and prints it, once',
  options: [...required('workspace', 'name'), ...optional('user')],
  run: async ({ target, options }) => {
    const request = { name: parseName(options['name']), now: Date.now() };
    const members = await listMembers(target.table, options['workspace'] ?? '');
    const member = findMember(members, options['user']);
    const issued = await createApiKey(target.table, member, request);
    if (!issued) throw new Error('The workspace has reached its limit of API keys');
    return fields({ 'Key id': issued.record.key_id, 'API key (shown once)': issued.key });
  },
};

function findMember(members: readonly Member[], userId: string | undefined): Member {
  const found = userId
    ? members.find(member => member.user_id === userId)
    : members.find(member => member.role === 'owner');
  if (!found) throw new Error(userId ? 'User not found in this workspace' : 'Workspace not found');
  return found;
}
