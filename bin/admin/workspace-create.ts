import { PLANS } from '../../shared/model/workspace.ts';
import { createWorkspace } from '../../shared/runtime/bootstrap.ts';
import { required, type Command } from './command.ts';
import { parseEmail, parseName, parsePlan } from './parse.ts';
import { fields } from './text.ts';

export const workspaceCreate: Command = {
  name: 'workspace create',
  arguments: '--name NAME --plan PLAN --owner-email EMAIL',
  summary: `creates a workspace and prints its first API key, once; PLAN is ${PLANS.join(', ')}`,
  options: required('name', 'plan', 'owner-email'),
  run: async ({ target, options }) => {
    const input = {
      name: parseName(options['name']),
      plan: parsePlan(options['plan']),
      owner_email: parseEmail(options['owner-email']),
    };
    const made = await createWorkspace(target.table, input, Date.now());
    return fields({
      Workspace: made.workspace.workspace_id,
      Owner: `${made.owner.user_id} (${made.owner.email})`,
      'API key (shown once)': made.api_key,
    });
  },
};
