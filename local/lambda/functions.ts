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
  /** Beyond this number of environments, those that have been idle for the longest end. Default: 20. */
  kept?: number;
}

interface IdleEnvironment {
  functionName: string;
  environment: Environment;
  timer: NodeJS.Timeout;
}

interface Pool {
  invoke: (event: unknown, traceHeader: string | null) => Promise<InvocationResult>;
  working: () => number;
}

const POLL_INTERVAL_MS = 5;

/** Environments of a function unless its event sources need more. */
const DEFAULT_CONCURRENCY = 4;

/** Creates the functions of the template, each with its pool of environments. */
export function createFunctions(
  resources: readonly FunctionResource[],
  host: LambdaHost,
  { concurrency, idleMs, kept = 20 }: FunctionsOptions,
): LocalFunctions {
  const environments = new Map<string, Environment>();
  /** Of all functions; the one that was used last comes last. */
  const idle: IdleEnvironment[] = [];
  let pause: Promise<void> | null = null;
  const pools = new Map(resources.map(fn => [fn.name, createPool(fn)]));

  function createPool(fn: FunctionResource): Pool {
    const semaphore = createSemaphore(Math.max(DEFAULT_CONCURRENCY, concurrency(fn.name)));
    let started = 0;
    let working = 0;

    function newEnvironment(): Environment {
      if (environments.size >= kept && idle[0]) endIdle(idle[0]);
      const environment = createEnvironment(fn, `${fn.name}:${++started}`, host);
      environments.set(environment.id, environment);
      return environment;
    }

    async function invoke(event: unknown, parent: string | null): Promise<InvocationResult> {
      if (!fn.allowsRecursion && invocationsIn(parent, fn.name) >= MAX_INVOCATIONS) {
        const error = recursionError(fn.name);
        host.log(fn.name, 'stderr', `${error.errorType}: ${error.errorMessage}\n`);
        return error;
      }
      await semaphore.acquire();
      while (pause) await pause;
      const environment = takeIdle(fn.name) ?? newEnvironment();
      working += 1;
      const result = await environment.invoke(event, nextTraceHeader(parent, fn.name, Date.now()));
      working -= 1;
      if (environment.isAlive()) keepIdle(fn.name, environment);
      else environments.delete(environment.id);
      semaphore.release();
      return result;
    }
    return { invoke, working: () => working };
  }

  /** The environment of a function that was used last and is still alive. */
  function takeIdle(functionName: string): Environment | undefined {
    for (;;) {
      const index = idle.findLastIndex(each => each.functionName === functionName);
      const [next] = index < 0 ? [] : idle.splice(index, 1);
      if (!next) return undefined;
      clearTimeout(next.timer);
      if (next.environment.isAlive()) return next.environment;
    }
  }

  function keepIdle(functionName: string, environment: Environment): void {
    const entry: IdleEnvironment = {
      functionName,
      environment,
      timer: setTimeout(() => endIdle(entry), idleMs).unref(),
    };
    idle.push(entry);
    if (environments.size > kept && idle[0]) endIdle(idle[0]);
  }

  function endIdle(entry: IdleEnvironment): void {
    const index = idle.indexOf(entry);
    if (index < 0) return;
    idle.splice(index, 1);
    clearTimeout(entry.timer);
    environments.delete(entry.environment.id);
    void entry.environment.kill();
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
