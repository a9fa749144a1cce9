import type { Services } from '../../shared/runtime/services.ts';

/** A process that dies at its n-th call to the outside, before or after the call took effect. */
export interface Death {
  at: number;
  when: 'before' | 'after';
}

export class Killed extends Error {}

interface Client {
  send: (...command: never[]) => Promise<unknown>;
}

export interface Mortal {
  services: Services;
  calls: () => number;
  /** Makes a call to something else part of the process. */
  outside: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Services whose process dies as told: from then on no call leaves it any more. `calls` counts what left. */
export function mortal(services: Services, death: Death | null): Mortal {
  let calls = 0;
  let dead = false;

  async function outside<T>(call: () => Promise<T>): Promise<T> {
    if (dead) throw new Killed();
    calls += 1;
    const now = death?.at === calls ? death.when : null;
    dead = now !== null;
    if (now === 'before') throw new Killed();
    const result = await call();
    if (now === 'after') throw new Killed();
    return result;
  }

  const wrap = <C extends Client>(client: C): C =>
    ({ send: (...command: never[]) => outside(() => client.send(...command)) }) as unknown as C;
  return {
    calls: () => calls,
    outside,
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
