import { revokeApiKey } from '../../shared/store/workspaces.ts';
import { required, type Command } from './command.ts';

export const keyRevoke: Command = {
  name: 'key revoke',
  arguments: '--workspace ID --key ID',
  summary: 'revokes an API key; takes effect within 30 s',
  options: required('workspace', 'key'),
  run: async ({ target, options }) => {
    const { workspace = '', key = '' } = options;
    const isRevoked = await revokeApiKey(target.table, workspace, key, Date.now());
    if (!isRevoked) throw new Error('API key not found in this workspace, or already revoked');
    return 'The API key is revoked';
  },
};
