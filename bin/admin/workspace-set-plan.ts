import { setPlan } from '../../shared/store/workspaces.ts';
import { required, type Command } from './command.ts';
import { parsePlan } from './parse.ts';

export const workspaceSetPlan: Command = {
  name: 'workspace set-plan',
  arguments: '--workspace ID --plan PLAN',
  summary: 'changes the plan of a workspace; takes effect within 30 s',
  options: required('workspace', 'plan'),
  run: async ({ target, options }) => {
    const plan = parsePlan(options['plan']);
    const isChanged = await setPlan(target.table, options['workspace'] ?? '', plan);
    if (!isChanged) throw new Error('Workspace not found');
    return `The workspace is now on the ${plan} plan`;
  },
};
