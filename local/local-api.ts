import { Hono } from 'hono';
import * as v from 'valibot';
import type { Calls } from './aws/calls.ts';
import type { TaskSummary } from './aws/ecs.ts';
import type { AwsFaults } from './aws/faults.ts';
import type { Scheduler } from './aws/scheduler.ts';
import type { Sqs } from './aws/sqs.ts';
import type { Clock } from './clock.ts';
import type { MappingView } from './lambda/mappings.ts';
import type { Logs } from './logs.ts';
import { BadRequest } from './sandbox/bad-request.ts';
import { currentWork, whenWorkIsDone } from './work.ts';

export interface LocalApiParts {
  clock: Clock;
  /** Called after the clock was advanced. */
  onAdvance: () => void;
  sqs: Sqs;
  scheduler: Scheduler;
  calls: Calls;
  logs: Logs;
  faults: AwsFaults;
  /** Event source mappings and whether their queues are polled. */
  mappings: () => MappingView[];
  /** Running invocations by function. */
  working: () => Record<string, number>;
  /** Runs an action while no invocation is running. */
  whenIdle: (act: () => void) => Promise<void>;
  /** Ends all Lambda environments. */
  endEnvironments: () => Promise<void>;
  /** Running tasks of ECS. */
  tasks: () => TaskSummary[];
  /** Kills a task; false if it does not run. */
  killTask: (id: string) => boolean;
}

/** Ten years: longer than every expiry. */
const MAX_ADVANCE_S = 10 * 366 * 86_400;
const AdvanceSchema = v.object({
  advance_seconds: v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_ADVANCE_S)),
  /** Waits for running invocations first, so that none sees the time jump. */
  between_runs: v.optional(v.boolean(), false),
});

/** With `wait_s`, the response comes once there is nothing to do, at the latest after so many seconds. */
const WaitSchema = v.pipe(
  v.optional(v.string(), '0'),
  v.transform(Number),
  v.number(),
  v.minValue(0),
  v.maxValue(60),
);

/** The API of the stack itself, for tests and debugging: `/_local/…`. */
export function localApi(parts: LocalApiParts): Hono {
  const { clock, onAdvance, sqs, scheduler, calls, logs, faults } = parts;
  const { mappings, working, whenIdle, endEnvironments, tasks, killTask } = parts;
  const clockState = () => ({
    now: new Date(clock.now()).toISOString(),
    offset_seconds: clock.offsetMs() / 1000,
  });
  const app = new Hono();
  app.get('/clock', c => c.json(clockState()));
  app.post('/clock', async c => {
    const body: unknown = await c.req.json().catch(() => null);
    const parsed = v.safeParse(AdvanceSchema, body);
    if (!parsed.success)
      return c.json({ error: '`advance_seconds` must be a number of seconds, 0 or more' }, 400);
    const { advance_seconds, between_runs } = parsed.output;
    const advance = () => {
      clock.advance(advance_seconds);
      onAdvance();
    };
    if (between_runs) await whenIdle(advance);
    else advance();
    return c.json(clockState());
  });
  app.get('/queues', c => c.json({ queues: sqs.depths() }));
  app.delete('/queues/:name?', c => {
    const name = c.req.param('name');
    return sqs.purge(name)
      ? c.json({ ok: true })
      : c.json({ error: `The queue ${name} does not exist` }, 404);
  });
  app.get('/mappings', c => c.json({ mappings: mappings() }));
  app.get('/working', async c => {
    const wait = v.safeParse(WaitSchema, c.req.query('wait_s'));
    if (!wait.success) return c.json({ error: '`wait_s` must be a number of seconds, at most 60' }, 400);
    const sources = { working, queues: sqs.depths, mappings };
    return c.json(wait.output > 0 ? await whenWorkIsDone(sources, wait.output * 1000) : currentWork(sources));
  });
  app.delete('/environments', async c => {
    await endEnvironments();
    return c.json({ ok: true });
  });
  app.get('/tasks', c => c.json({ tasks: tasks() }));
  app.delete('/tasks/:id', c => {
    const id = c.req.param('id');
    return killTask(id) ? c.json({ ok: true }) : c.json({ error: `The task ${id} does not run` }, 404);
  });
  app.post('/faults', async c => {
    const body: unknown = await c.req.json().catch(() => null);
    try {
      return c.json(faults.add(body));
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      return c.json({ error: error.message, issues: error.issues }, 400);
    }
  });
  app.get('/faults', c => c.json({ items: faults.list() }));
  app.delete('/faults/:id?', c => {
    const id = c.req.param('id');
    return faults.clear(id) ? c.json({ ok: true }) : c.json({ error: `The fault ${id} does not exist` }, 404);
  });
  app.get('/schedules', c => c.json({ schedules: scheduler.schedules().map(scheduleView) }));
  app.get('/calls', c => {
    const report = calls.report();
    if (!['', '0', 'false', undefined].includes(c.req.query('reset'))) calls.reset();
    return c.json(report);
  });
  app.get('/logs', c => c.json({ lines: logs.recent(c.req.query('function') ?? '') }));
  return app;
}

function scheduleView(schedule: ReturnType<Scheduler['schedules']>[number]) {
  return {
    name: schedule.Name,
    group: schedule.GroupName,
    expression: schedule.ScheduleExpression,
    timezone: schedule.ScheduleExpressionTimezone,
    state: schedule.State,
    target: schedule.Target.Arn,
    input: schedule.Target.Input ?? null,
  };
}
