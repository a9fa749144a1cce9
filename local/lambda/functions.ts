import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionResource } from '../template/lambda.ts';
import {
  createEnvironment,
  type Environment,
  type InvocationError,
  type InvocationResult,
  type LambdaHost,
} from './environment.ts';
import { invocationsIn, MAX_INVOCATIONS, nextTraceHeader } from './recursion.ts';
import { createSemaphore } from './semaphore.ts';

export interface LocalFunctions {
  /**
   * Runs an event in an idle or new environment; waits for one at the concurrency limit. `traceHeader` is that of the
   * request that causes the invocation. Never rejects.
   */
  invoke: Invoke;
  /** Kills the environment with this id; false if it does not exist. */
  kill: (environmentId: string) => Promise<boolean>;
  /** Running invocations by function; functions without any are left out. */
  working: () => Record<string, number>;
  /** Number of environments, idle ones included. */
  environments: () => number;
  /** Lets running invocations end and starts no new ones until `act` is done. */
  whenIdle: (act: () => void) => Promise<void>;
  /** Ends all environments once running invocations have ended, so that the next ones start cold. */
  endEnvironments: () => Promise<void>;
  close: () => Promise<void>;
}

export type Invoke = (
  functionName: string,
  event: unknown,
  traceHeader?: string | null,
) => Promise<InvocationResult>;

export interface FunctionsOptions {
  /** Concurrent events that the event sources of a function send. */
  concurrency: (functionName: string) => number;
  /**
   * Milliseconds without an invocation after which an environment ends. Lambda keeps idle environments for minutes; each
   * takes memory that a development machine needs.
   */
  idleMs: number;
}

interface Pool {
  invoke: (event: unknown, traceHeader: string | null) => Promise<InvocationResult>;
  working: () => number;
}

const POLL_INTERVAL_MS = 5;

/** Environments of a function unless its event sources need more: each takes some 35 MB. */
const DEFAULT_CONCURRENCY = 3;

/** Creates the functions of the template, each with its pool of environments. */
export function createFunctions(
  resources: readonly FunctionResource[],
  host: LambdaHost,
  { concurrency, idleMs }: FunctionsOptions,
): LocalFunctions {
  const environments = new Map<string, Environment>();
  let pause: Promise<void> | null = null;
  const pools = new Map(resources.map(fn => [fn.name, createPool(fn)]));

  function createPool(fn: FunctionResource): Pool {
    const semaphore = createSemaphore(Math.max(DEFAULT_CONCURRENCY, concurrency(fn.name)));
    const idle: { environment: Environment; timer: NodeJS.Timeout }[] = [];
    let started = 0;
    let working = 0;

    function newEnvironment(): Environment {
      const environment = createEnvironment(fn, `${fn.name}:${++started}`, host);
      environments.set(environment.id, environment);
      return environment;
    }

    /** The most recently used environment that is still alive. */
    function takeIdle(): Environment | undefined {
      for (let next = idle.pop(); next; next = idle.pop()) {
        clearTimeout(next.timer);
        if (next.environment.isAlive()) return next.environment;
      }
      return undefined;
    }

    function keepIdle(environment: Environment): void {
      const end = () => {
        const index = idle.findIndex(entry => entry.environment === environment);
        if (index < 0) return;
        idle.splice(index, 1);
        environments.delete(environment.id);
        void environment.kill();
      };
      idle.push({ environment, timer: setTimeout(end, idleMs).unref() });
    }

    async function invoke(event: unknown, parent: string | null): Promise<InvocationResult> {
      if (!fn.allowsRecursion && invocationsIn(parent, fn.name) >= MAX_INVOCATIONS) {
        const error = recursionError(fn.name);
        host.log(fn.name, 'stderr', `${error.errorType}: ${error.errorMessage}\n`);
        return error;
      }
      await semaphore.acquire();
      while (pause) await pause;
      const environment = takeIdle() ?? newEnvironment();
      working += 1;
      const result = await environment.invoke(event, nextTraceHeader(parent, fn.name, Date.now()));
      working -= 1;
      if (environment.isAlive()) keepIdle(environment);
      else environments.delete(environment.id);
      semaphore.release();
      return result;
    }
    return { invoke, working: () => working };
  }

  async function whenIdle(act: () => void | Promise<void>): Promise<void> {
    while (pause) await pause;
    const ended = Promise.withResolvers<undefined>();
    pause = ended.promise;
    try {
      while ([...pools.values()].some(pool => pool.working() > 0)) await sleep(POLL_INTERVAL_MS);
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
    whenIdle,
    endEnvironments: () => whenIdle(endAll),
    invoke: (name, event, traceHeader = null) => {
      const pool = pools.get(name);
      if (pool) return pool.invoke(event, traceHeader);
      return Promise.resolve({
        ok: false,
        errorType: 'ResourceNotFoundException',
        errorMessage: `Function not found: ${name}`,
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
    environments: () => environments.size,
    close: endAll,
  };
}

function recursionError(functionName: string): InvocationError {
  const errorMessage = `Stopped a recursive loop: ${functionName} was invoked ${MAX_INVOCATIONS} times in one chain of requests`;
  return { ok: false, errorType: 'RecursiveInvocationException', errorMessage };
}
