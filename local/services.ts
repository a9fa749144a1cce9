import { join } from 'node:path';
import type { Hono } from 'hono';
import * as v from 'valibot';
import { ok } from './aws/answer.ts';
import { createCalls, type Calls } from './aws/calls.ts';
import { createAwsFaults, type AwsFaults } from './aws/faults.ts';
import { createScheduler, type Scheduler } from './aws/scheduler.ts';
import { createSqs, type Sqs } from './aws/sqs.ts';
import { callerOf } from './aws/front.ts';
import { createSsm } from './aws/ssm.ts';
import type { Cleanup } from './cleanup.ts';
import { createClock, installClock, uninstallClock, type Clock } from './clock.ts';
import type { Outcome } from './lambda/environment.ts';
import type { Rules } from './lambda/rules.ts';
import { localApi } from './local-api.ts';
import { createLogs, type Logs } from './logs.ts';
import { createS3, type S3 } from './s3/s3.ts';
import { openStore, type LocalStore } from './store.ts';
import { createTargets, type Targets } from './targets.ts';

/** The emulated services that know no template. */
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
  /** Answers below `/_local`. */
  local: Hono;
  /** From now on schedules and rules fire. */
  start: (rules: Rules) => void;
}

export interface ServicesOptions {
  folder: string;
  /** Whether the state outlives this process. */
  keep: boolean;
  quiet: boolean;
  schedulerJitterS: number;
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  kill: (environmentId: string) => Promise<boolean>;
  working: () => Record<string, number>;
  between: (act: () => void) => Promise<void>;
  cool: () => Promise<void>;
}

const TICK_MS = 100;
/** How often buckets are looked through by their lifecycle rules. */
const TIDY_MS = 60_000;

export function openServices(options: ServicesOptions, cleanup: Cleanup): LocalServices {
  const { folder, keep, invoke, schedulerJitterS: jitterS } = options;
  const store = openStore(keep ? folder : null);
  cleanup.add(store.close);
  const offset = store.shelf('clock', v.number());
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

  /** A schedule that fires is a call, too: it may come late, twice or never. */
  async function fire(targetArn: string, input: string): Promise<void> {
    const call = { service: 'scheduler', operation: 'Invoke', caller: '-', environment: null, body: {} };
    await faults.around(call, async ({ DelaySeconds }) => {
      await targets.deliver(targetArn, input, v.parse(v.optional(v.number()), DelaySeconds));
      return ok({});
    });
  }

  let tick: () => void = () => undefined;
  function start(rules: Rules): void {
    tick = () => {
      rules.tick();
      scheduler.tick().catch((error: unknown) => console.error('The scheduler broke:', error));
    };
    const timer = setInterval(() => tick(), TICK_MS);
    const tidying = setInterval(tidy, TIDY_MS);
    cleanup.add(() => [timer, tidying].forEach(clearInterval));
  }

  function tidy(): void {
    s3.tidy().catch((error: unknown) => console.error('The lifecycle of the buckets broke:', error));
  }

  function moved(): void {
    offset.set('offset_ms', clock.offsetMs());
    tick();
    tidy();
  }

  const { working, between, cool } = options;
  const local = localApi({ clock, moved, sqs, scheduler, calls, logs, faults, working, between, cool });
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
