import * as v from 'valibot';
import { PLANS, PlanSchema, type Member } from '../../shared/model/workspace.ts';
import { createApiKey, createWorkspace } from '../../shared/runtime/bootstrap.ts';
import { listMembers, revokeApiKey, setPlan } from '../../shared/store/workspaces.ts';
import type { Command } from './command.ts';
import { setPlatformApp } from './platform-app.ts';
import { rotateKeyRingCommand } from './rotate-key-ring.ts';

const required = (...names: string[]) => names.map(name => ({ name, required: true }));
const optional = (...names: string[]) => names.map(name => ({ name, required: false }));

export const COMMANDS: readonly Command[] = [
  {
    name: 'workspace create',
    arguments: '--name NAME --plan PLAN --owner-email EMAIL',
    summary: `creates a workspace and prints its first API key, once; PLAN is ${PLANS.join(', ')}`,
    options: required('name', 'plan', 'owner-email'),
    run: async ({ target, options }) => {
      const input = {
        name: options['name'] ?? '',
        plan: parsePlan(options['plan']),
        owner_email: parseEmail(options['owner-email']),
      };
      const made = await createWorkspace(target.table, input, Date.now());
      return lines({
        Workspace: made.workspace.workspace_id,
        Owner: `${made.owner.user_id} (${made.owner.email})`,
        'API key (shown once)': made.api_key,
      });
    },
  },
  {
    name: 'workspace set-plan',
    arguments: '--workspace ID --plan PLAN',
    summary: 'changes the plan of a workspace; takes effect within 30 s',
    options: required('workspace', 'plan'),
    run: async ({ target, options }) => {
      const newPlan = parsePlan(options['plan']);
      const changed = await setPlan(target.table, options['workspace'] ?? '', newPlan);
      if (!changed) throw new Error('Workspace not found');
      return `The workspace is now on the ${newPlan} plan`;
    },
  },
  {
    name: 'key create',
    arguments: '--workspace ID --name NAME [--user ID]',
    summary: 'creates an API key for a user (default: an owner) and prints it, once',
    options: [...required('workspace', 'name'), ...optional('user')],
    run: async ({ target, options }) => {
      const members = await listMembers(target.table, options['workspace'] ?? '');
      const member = findMember(members, options['user']);
      const request = { name: options['name'] ?? '', now: Date.now() };
      const issued = await createApiKey(target.table, member, request);
      if (!issued) throw new Error('The workspace has reached its limit of API keys');
      return lines({ 'Key id': issued.record.key_id, 'API key (shown once)': issued.key });
    },
  },
  {
    name: 'key revoke',
    arguments: '--workspace ID --key ID',
    summary: 'revokes an API key; takes effect within 30 s',
    options: required('workspace', 'key'),
    run: async ({ target, options }) => {
      const { workspace = '', key = '' } = options;
      const revoked = await revokeApiKey(target.table, workspace, key, Date.now());
      if (!revoked) throw new Error('API key not found in this workspace, or already revoked');
      return 'The API key is revoked';
    },
  },
  setPlatformApp,
  rotateKeyRingCommand,
];

export function usage(): string {
  const rows = COMMANDS.map(
    command => `  npm run admin -- ${command.name} ${command.arguments}\n      ${command.summary}`,
  );
  return [
    'Usage:',
    ...rows,
    '',
    'Uses the running local stack (npm start; with --data DIR or --ready-file PATH if it was started with that option),',
    'or a deployed stack with --stage STAGE --table NAME and AWS credentials in the environment.',
  ].join('\n');
}

function lines(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** The platform's own fields of the app. Throws for a value that it does not know. */

function parsePlan(text: string | undefined) {
  const parsed = v.safeParse(PlanSchema, text);
  if (!parsed.success) throw new Error(`--plan must be one of ${PLANS.join(', ')}`);
  return parsed.output;
}

function parseEmail(text: string | undefined): string {
  const parsed = v.safeParse(v.pipe(v.string(), v.trim(), v.email()), text);
  if (!parsed.success) throw new Error('--owner-email must be an e-mail address');
  return parsed.output;
}

function findMember(members: readonly Member[], userId: string | undefined): Member {
  const found = userId
    ? members.find(member => member.user_id === userId)
    : members.find(member => member.role === 'owner');
  if (!found) throw new Error(userId ? 'User not found in this workspace' : 'Workspace not found');
  return found;
}
