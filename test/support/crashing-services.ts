import type { Services } from '../../shared/runtime/services.ts';

/** When a process is killed: at its n-th external call, before or after the call took effect. */
export interface Crash {
  at: number;
  when: 'before' | 'after';
}

/**
 * A death between two calls is one after the first and one before the second. So a process of n calls can die in n + 1
 * places: before its first call (0), and after each (1 … n).
 */
export const crashPoint = (place: number): Crash =>
  place === 0 ? { at: 1, when: 'before' } : { at: place, when: 'after' };

/** All places where a process with this number of calls can die. */
export const crashPoints = (calls: number): Crash[] =>
  Array.from({ length: calls + 1 }, (_, place) => crashPoint(place));

/** Suspends a process after its n-th external call took effect. */
export interface Pause {
  at: number;
  /** Called when the process is suspended. */
  reached: () => void;
  /** Resumes the process when it resolves. */
  until: Promise<unknown>;
}

/** Thrown by every external call of a killed process. */
export class Killed extends Error {}

interface Client {
  send: (...command: never[]) => Promise<unknown>;
}

export interface CrashingServices {
  services: Services;
  /** Returns the number of external calls that the process made. */
  calls: () => number;
  /** Counts another call, such as a request to a platform, as an external call of the process. */
  external: <T>(call: () => Promise<T> | T) => Promise<T>;
}

/**
 * Returns services of a process that is killed as `crash` says: from then on no call leaves it. With `pause` it is
 * suspended for a while instead.
 */
export function crashingServices(
  services: Services,
  crash: Crash | null,
  pause: Pause | null = null,
): CrashingServices {
  let calls = 0;
  let killed = false;

  async function external<T>(call: () => Promise<T> | T): Promise<T> {
    if (killed) throw new Killed();
    calls += 1;
    const now = crash?.at === calls ? crash.when : null;
    killed = now !== null;
    if (now === 'before') throw new Killed();
    const result = await call();
    if (now === 'after') throw new Killed();
    if (pause?.at === calls) {
      pause.reached();
      await pause.until;
    }
    return result;
  }

  const wrap = <C extends Client>(client: C): C =>
    ({ send: (...command: never[]) => external(() => client.send(...command)) }) as unknown as C;
  return {
    calls: () => calls,
    external,
    services: {
      ...services,
      table: {
        ...services.table,
        client: wrap(services.table.client as Client & typeof services.table.client),
      },
      sqs: wrap(services.sqs as Client & typeof services.sqs),
      scheduler: wrap(services.scheduler as Client & typeof services.scheduler),
    },
  };
}
