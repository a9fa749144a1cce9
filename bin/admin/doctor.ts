import { alarms } from './doctor/alarms.ts';
import { appNotices } from './doctor/app-notices.ts';
import { apps } from './doctor/apps.ts';
import { todo, type Check, type Finding } from './doctor/finding.ts';
import { keyRing } from './doctor/key-ring.ts';
import { mappings } from './doctor/mappings.ts';
import { queues } from './doctor/queues.ts';
import { schedules } from './doctor/schedules.ts';
import { tiktokDomain } from './doctor/tiktok-domain.ts';
import { tokens } from './doctor/tokens.ts';
import type { Command } from './command.ts';
import type { Target } from './target.ts';
import { columns } from './text.ts';

const CHECKS: readonly Check[] = [
  keyRing,
  apps,
  appNotices,
  queues,
  mappings,
  schedules,
  tokens,
  alarms,
  tiktokDomain,
];

export const doctor: Command = {
  name: 'doctor',
  arguments: '',
  summary:
    'checks the stack, and says what to do about each finding; exits with 1 where there is something to do',
  options: [],
  run: async ({ target }) => {
    const now = Date.now();
    const found = await Promise.all(CHECKS.map(check => findingsOf(check, target, now)));
    const rows = found.flat();
    if (rows.some(([state]) => state === 'todo')) process.exitCode = 1;
    return columns(rows);
  },
};

async function findingsOf(check: Check, target: Target, now: number): Promise<string[][]> {
  const findings = await tried(check, target, now);
  return findings.map(({ state, text }) => [state, check.name, text]);
}

/** A check that fails, for lack of a permission for example, does not keep the others from their work. */
async function tried(check: Check, target: Target, now: number): Promise<Finding[]> {
  try {
    return await check.run(target, now);
  } catch (error) {
    return [todo(`Could not be checked: ${error instanceof Error ? error.message : String(error)}`)];
  }
}
