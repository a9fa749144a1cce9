import { PutParameterCommand } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { platformAppParameter } from '../../shared/aws/platform-app.ts';
import { PLATFORM_IDS, PlatformIdSchema } from '../../shared/model/platform.ts';
import { PLANS, PlanSchema, type Member } from '../../shared/model/workspace.ts';
import { createApiKey, createWorkspace } from '../../shared/runtime/bootstrap.ts';
import { listMembers, revokeApiKey, setPlan } from '../../shared/store/workspaces.ts';
import type { Target } from './target.ts';

interface Call {
  target: Target;
  options: Record<string, string>;
  positionals: readonly string[];
}

interface Command {
  name: string;
  /** What follows the name in the usage text. */
  arguments: string;
  summary: string;
  options: readonly { name: string; required: boolean }[];
  /** Gives what is printed. Throws with words for the operator. */
  run: (call: Call) => Promise<string>;
}

const required = (...names: string[]) => names.map(name => ({ name, required: true }));
const optional = (...names: string[]) => names.map(name => ({ name, required: false }));

export const COMMANDS: readonly Command[] = [
  {
    name: 'workspace create',
    arguments: '--name NAME --plan PLAN --owner-email EMAIL',
    summary: `makes a workspace and prints its first key, once; PLAN is ${PLANS.join(', ')}`,
    options: required('name', 'plan', 'owner-email'),
    run: async ({ target, options }) => {
      const input = {
        name: options['name'] ?? '',
        plan: plan(options['plan']),
        owner_email: email(options['owner-email']),
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
    summary: 'moves a workspace to another plan; effective within 30 s',
    options: required('workspace', 'plan'),
    run: async ({ target, options }) => {
      const wanted = plan(options['plan']);
      const changed = await setPlan(target.table, options['workspace'] ?? '', wanted);
      if (!changed) throw new Error('There is no such workspace');
      return `The workspace is on plan ${wanted}`;
    },
  },
  {
    name: 'key create',
    arguments: '--workspace ID --name NAME [--user ID]',
    summary: 'makes a key for a user (default: an owner) and prints it, once',
    options: [...required('workspace', 'name'), ...optional('user')],
    run: async ({ target, options }) => {
      const members = await listMembers(target.table, options['workspace'] ?? '');
      const issued = await createApiKey(
        target.table,
        memberFor(members, options['user']),
        options['name'] ?? '',
        Date.now(),
      );
      return lines({ 'Key id': issued.record.key_id, 'API key (shown once)': issued.key });
    },
  },
  {
    name: 'key revoke',
    arguments: '--workspace ID --key ID',
    summary: 'ends a key; effective within 30 s',
    options: required('workspace', 'key'),
    run: async ({ target, options }) => {
      const { workspace = '', key = '' } = options;
      const revoked = await revokeApiKey(target.table, workspace, key, Date.now());
      if (!revoked) throw new Error('The workspace has no such key that is still valid');
      return 'The key is revoked';
    },
  },
  {
    name: 'platform set',
    arguments: 'PLATFORM --client-id ID --client-secret SECRET',
    summary: `stores your app's credentials at a platform (${PLATFORM_IDS.join(', ')})`,
    options: required('client-id', 'client-secret'),
    run: async ({ target, options, positionals }) => {
      const platform = v.safeParse(PlatformIdSchema, positionals[0]);
      if (!platform.success) throw new Error(`PLATFORM must be one of ${PLATFORM_IDS.join(', ')}`);
      const app = { client_id: options['client-id'], client_secret: options['client-secret'] };
      await target.ssm.send(
        new PutParameterCommand({
          Name: platformAppParameter(target.parameterPrefix, platform.output),
          Type: 'SecureString',
          Value: JSON.stringify(app),
          Overwrite: true,
        }),
      );
      return `The credentials for ${platform.output} are stored; functions see them within five minutes`;
    },
  },
];

export function usage(): string {
  const rows = COMMANDS.map(
    command => `  npm run admin -- ${command.name} ${command.arguments}\n      ${command.summary}`,
  );
  return [
    'Usage:',
    ...rows,
    '',
    'Works on the local stack that runs (npm start; --data DIR where it keeps its state),',
    'or on a deployed one with --stage STAGE --table NAME and AWS credentials in the environment.',
  ].join('\n');
}

function lines(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function plan(text: string | undefined) {
  const parsed = v.safeParse(PlanSchema, text);
  if (!parsed.success) throw new Error(`The plan must be one of ${PLANS.join(', ')}`);
  return parsed.output;
}

function email(text: string | undefined): string {
  const parsed = v.safeParse(v.pipe(v.string(), v.trim(), v.email()), text);
  if (!parsed.success) throw new Error('--owner-email must be an e-mail address');
  return parsed.output;
}

function memberFor(members: readonly Member[], userId: string | undefined): Member {
  const found = userId
    ? members.find(member => member.user_id === userId)
    : members.find(member => member.role === 'owner');
  if (!found) throw new Error(userId ? 'The workspace has no such user' : 'There is no such workspace');
  return found;
}
