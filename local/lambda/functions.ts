import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionResource } from '../template/resources.ts';
import { createEnvironment, type Environment, type LambdaHost, type Outcome } from './environment.ts';
import { createSlots } from './slots.ts';

export interface LocalFunctions {
  /** Runs an event in an idle environment, in a new one, or when one becomes free. Never rejects. */
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  /** Kills the environment of this id; false where there is none. */
  kill: (environmentId: string) => Promise<boolean>;
  /** How many environments are at work now, by function; those that idle are left out. */
  working: () => Record<string, number>;
  /** Lets what runs come to its end, and nothing new begin, until `act` is done. */
  between: (act: () => void) => Promise<void>;
  /** Ends all environments once what runs has ended: whatever comes next starts cold. */
  cool: () => Promise<void>;
  close: () => Promise<void>;
}

interface Pool {
  invoke: (event: unknown) => Promise<Outcome>;
  working: () => number;
}

/** How often it is looked whether everything that runs has ended. */
const LOOK_MS = 5;

/** Environments of a function at once, where its event sources ask for no more. */
const DEFAULT_CONCURRENCY = 4;

/** All functions of the template. `concurrency` says how many events the sources of a function send at once. */
export function createFunctions(
  resources: readonly FunctionResource[],
  host: LambdaHost,
  concurrency: (functionName: string) => number,
): LocalFunctions {
  const environments = new Map<string, Environment>();
  let pause: Promise<void> | null = null;
  const pools = new Map(resources.map(fn => [fn.name, createPool(fn)]));

  function createPool(fn: FunctionResource): Pool {
    const slots = createSlots(Math.max(DEFAULT_CONCURRENCY, concurrency(fn.name)));
    const idle: Environment[] = [];
    let count = 0;
    let working = 0;

    function newEnvironment(): Environment {
      const environment = createEnvironment(fn, `${fn.name}:${++count}`, host);
      environments.set(environment.id, environment);
      return environment;
    }

    async function invoke(event: unknown): Promise<Outcome> {
      await slots.take();
      while (pause) await pause;
      const environment = nextAlive(idle) ?? newEnvironment();
      working += 1;
      const outcome = await environment.invoke(event);
      working -= 1;
      if (environment.isAlive()) idle.push(environment);
      else environments.delete(environment.id);
      slots.give();
      return outcome;
    }
    return { invoke, working: () => working };
  }

  async function between(act: () => void | Promise<void>): Promise<void> {
    while (pause) await pause;
    const ended = Promise.withResolvers<undefined>();
    pause = ended.promise;
    try {
      while ([...pools.values()].some(pool => pool.working() > 0)) await sleep(LOOK_MS);
      await act();
    } finally {
      pause = null;
      ended.resolve(undefined);
    }
  }

  async function endAll(): Promise<void> {
    await Promise.all([...environments.values()].map(environment => environment.kill()));
    environments.clear();
  }

  return {
    between,
    cool: () => between(endAll),
    invoke: (name, event) => {
      const pool = pools.get(name);
      if (pool) return pool.invoke(event);
      return Promise.resolve({
        ok: false,
        errorType: 'ResourceNotFound',
        errorMessage: `No function ${name}`,
      });
    },
    kill: async id => {
      const environment = environments.get(id);
      await environment?.kill();
      return environment !== undefined;
    },
    working: () => {
      const counts = [...pools].map(([name, pool]): [string, number] => [name, pool.working()]);
      return Object.fromEntries(counts.filter(([, count]) => count > 0));
    },
    close: endAll,
  };
}

/** The one used last is warmest; those killed while idle are passed over. */
function nextAlive(idle: Environment[]): Environment | undefined {
  for (;;) {
    const environment = idle.pop();
    if (!environment || environment.isAlive()) return environment;
  }
}
