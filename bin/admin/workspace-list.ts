import { allWorkspaces } from '../../shared/store/all-workspaces.ts';
import type { Command } from './command.ts';
import { columns, day } from './text.ts';

export const workspaceList: Command = {
  name: 'workspace list',
  arguments: '',
  summary: 'lists the workspaces, oldest first; reads the whole table (0.02 dollars for each gigabyte)',
  options: [],
  run: async ({ target }) => {
    const workspaces = await allWorkspaces(target.table);
    if (workspaces.length === 0) return 'There are no workspaces. Create one: workspace create';
    return columns([
      ['ID', 'PLAN', 'CREATED', 'NAME'],
      ...workspaces.map(({ workspace_id, plan, created_at, name }) => [
        workspace_id,
        plan,
        day(created_at),
        name,
      ]),
    ]);
  },
};
