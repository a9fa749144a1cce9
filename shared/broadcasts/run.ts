import type { LivePlatform } from '../platforms/contract/live.ts';
import type { Services } from '../runtime/services.ts';
import type { Call } from './account.ts';
import type { Held } from './lease.ts';
import type { WorkerTasks } from './tasks.ts';
import type { FinalStatus } from './transitions.ts';

/** What the controller works with. */
export interface ControllerRun {
  services: Services;
  tasks: WorkerTasks;
  live: LivePlatform;
}

/** One broadcast that the controller acts on, under its lease. */
export interface StepContext extends ControllerRun {
  held: Held;
  call: Call;
}

/** Does what a broadcast needs now. Returns when to act again, epoch milliseconds; null when nothing is left to do. */
export type Step = (context: StepContext) => Promise<number | null>;

/** Why a broadcast is over. */
export interface Ending {
  status: FinalStatus;
  failure: { code: string; message: string } | null;
}

export const ending = (status: FinalStatus, code?: string, message = ''): Ending => ({
  status,
  failure: code === undefined ? null : { code, message },
});
