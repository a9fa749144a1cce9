import { deployedTarget } from './deployed-target.ts';
import { localTarget } from './local-target.ts';
import type { Target } from './target.ts';

const DEPLOYED = ['stage', 'stack', 'table', 'region', 'profile'];
/** Options of every command. */
export const TARGET_OPTIONS = ['data', 'ready-file', ...DEPLOYED];

/** Returns the stack that the options choose: a deployed one, or the running local stack. Throws an error for the operator. */
export function findTarget(options: Record<string, string>): Promise<Target> {
  return DEPLOYED.some(name => name in options) ? deployedTarget(options) : localTarget(options);
}
