import type { Command } from './command.ts';
import { dlqList } from './dlq-list.ts';
import { dlqRedrive } from './dlq-redrive.ts';
import { doctor } from './doctor.ts';
import { keyCreate } from './key-create.ts';
import { keyRevoke } from './key-revoke.ts';
import { keyRingRotate } from './key-ring-rotate.ts';
import { platformList } from './platform-list.ts';
import { platformSet } from './platform-set.ts';
import { workspaceCreate } from './workspace-create.ts';
import { workspaceList } from './workspace-list.ts';
import { workspaceSetPlan } from './workspace-set-plan.ts';

export const COMMANDS: readonly Command[] = [
  workspaceCreate,
  workspaceList,
  workspaceSetPlan,
  keyCreate,
  keyRevoke,
  platformSet,
  platformList,
  keyRingRotate,
  dlqList,
  dlqRedrive,
  doctor,
];

/** Returns the command that these words begin with, and the words after its name. */
export function findCommand(words: readonly string[]): { command: Command; rest: string[] } | null {
  for (const command of COMMANDS) {
    const { length } = command.name.split(' ');
    if (words.slice(0, length).join(' ') === command.name) return { command, rest: words.slice(length) };
  }
  return null;
}

export function usage(): string {
  const rows = COMMANDS.map(command =>
    `  npm run admin -- ${command.name} ${command.arguments}`.trimEnd().concat(`\n      ${command.summary}`),
  );
  return [
    'Usage:',
    ...rows,
    '',
    'Works on the running local stack (npm start; with --data DIR or --ready-file PATH if it was started with that option),',
    'or on a deployed one with --stage STAGE, --region REGION and --profile PROFILE, of which one is enough. Without the',
    'others, the stage is prod, and AWS credentials and the region are those of the environment. --stack NAME instead of',
    '--stage chooses the stack of another CDK app.',
  ].join('\n');
}
