import { join } from 'node:path';
import type { Hono } from 'hono';
import * as v from 'valibot';
import { ok } from './aws/response.ts';
import { createCalls, type Calls } from './aws/calls.ts';
import type { TaskSummary } from './aws/ecs.ts';
import { createAwsFaults, type AwsFaults } from './aws/faults.ts';
import { createScheduler, type Scheduler } from './aws/scheduler.ts';
import { createSqs, type Sqs } from './aws/sqs.ts';
import { callerOf } from './aws/endpoint.ts';
import { createSsm } from './aws/ssm.ts';
import type { Cleanup } from './cleanup.ts';
import { createClock, installClock, uninstallClock, type Clock } from './clock.ts';
import type { InvocationResult } from './lambda/environment.ts';
import type { MappingView } from './lambda/mappings.ts';
import { localApi } from './local-api.ts';
import { createLogs, type Logs } from './logs.ts';
import { createS3, type S3 } from './s3/s3.ts';
import { openStore, type LocalStore } from './store.ts';
import { createTargets, type Targets } from './targets.ts';

/** The emulated services that do not depend on the template. */
export interface LocalServices {
  store: LocalStore;
  clock: Clock;
  logs: Logs;
  calls: Calls;
  faults: AwsFaults;
  sqs: Sqs;
  ssm: ReturnType<typeof createSsm>;
  s3: S3;
  scheduler: Scheduler;
  targets: Targets;
  /** Serves `/_local`. */
  local: Hono;
  /** Starts firing schedules, and ticks whatever else happens at its time. */
  start: (parts: readonly { tick: () => void }[]) => void;
}

export interface ServicesOptions {
  folder: string;
  /** Whether the state is kept across restarts. */
  keep: boolean;
  quiet: boolean;
  schedulerJitterS: number;
  invoke: (functionName: string, event: unknown) => Promise<InvocationResult>;
  kill: (environmentId: string) => Promise<boolean>;
  mappings: () => MappingView[];
  working: () => Record<string, number>;
  whenIdle: (act: () => void) => Promise<void>;
  endEnvironments: () => Promise<void>;
  /** Running tasks of ECS. */
  tasks: () => TaskSummary[];
  killTask: (id: string) => boolean;
}

const TICK_MS = 100;
/** Interval at which the buckets' lifecycle rules are applied. */
const LIFECYCLE_MS = 60_000;

export function openServices(options: ServicesOptions, cleanup: Cleanup): LocalServices {
  const { folder, keep, invoke, schedulerJitterS: jitterS } = options;
  const store = openStore(keep ? folder : null);
  cleanup.add(store.close);
  const offset = store.collection('clock', v.number());
  const clock = createClock(offset.get('offset_ms') ?? 0);
  // The SQS emulator reads the global clock.
  installClock(clock.memory);
  cleanup.add(uninstallClock);
  const logs = createLogs(join(folder, 'logs'), options.quiet);
  cleanup.add(logs.close);
  const sqs = createSqs(keep ? join(folder, 'sqs') : null);
  cleanup.add(sqs.close);
  const calls = createCalls();
  const s3 = createS3({
    folder: join(folder, 's3'),
    store,
    now: clock.now,
    count: (operation, request) => calls.add('s3', operation, callerOf(request)),
  });
  const targets = createTargets({ sqs, invoke, now: clock.now });
  const faults = createAwsFaults(options.kill);
  const scheduler = createScheduler({ store, now: clock.now, jitterS, deliver: fire });

  /** Faults apply to a firing schedule as to a call: it may be late, repeated or lost. */
  async function fire(targetArn: string, input: string): Promise<void> {
    const call = { service: 'scheduler', operation: 'Invoke', caller: '-', environment: null, body: {} };
    await faults.around(call, async ({ DelaySeconds }) => {
      await targets.deliver(targetArn, input, v.parse(v.optional(v.number()), DelaySeconds));
      return ok({});
    });
  }

  let tick: () => void = () => undefined;
  function start(parts: readonly { tick: () => void }[]): void {
    tick = () => {
      for (const part of parts) part.tick();
      scheduler.tick().catch((error: unknown) => console.error('Unexpected error in the scheduler:', error));
    };
    const timer = setInterval(() => tick(), TICK_MS);
    const lifecycleTimer = setInterval(applyLifecycle, LIFECYCLE_MS);
    cleanup.add(() => [timer, lifecycleTimer].forEach(clearInterval));
  }

  function applyLifecycle(): void {
    s3.applyLifecycle().catch((error: unknown) =>
      console.error('Could not apply the lifecycle rules:', error),
    );
  }

  function onAdvance(): void {
    offset.set('offset_ms', clock.offsetMs());
    tick();
    applyLifecycle();
  }

  const { mappings, working, whenIdle, endEnvironments, tasks, killTask } = options;
  const local = localApi({
    clock,
    onAdvance,
    sqs,
    scheduler,
    calls,
    logs,
    faults,
    mappings,
    working,
    whenIdle,
    endEnvironments,
    tasks,
    killTask,
  });
  return {
    store,
    clock,
    logs,
    calls,
    faults,
    sqs,
    ssm: createSsm(store, clock.now),
    s3,
    scheduler,
    targets,
    local,
    start,
  };
}
