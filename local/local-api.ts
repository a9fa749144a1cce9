import { Hono } from 'hono';
import * as v from 'valibot';
import type { Calls } from './aws/calls.ts';
import type { AwsFaults } from './aws/faults.ts';
import type { Scheduler } from './aws/scheduler.ts';
import type { Sqs } from './aws/sqs.ts';
import type { Clock } from './clock.ts';
import type { Logs } from './logs.ts';
import { BadRequest } from './sandbox/problem.ts';

export interface LocalApiParts {
  clock: Clock;
  /** Called after the clock was moved. */
  moved: () => void;
  sqs: Sqs;
  scheduler: Scheduler;
  calls: Calls;
  logs: Logs;
  faults: AwsFaults;
  /** Environments at work, by function. */
  working: () => Record<string, number>;
  /** Does something while no environment is at work. */
  between: (act: () => void) => Promise<void>;
  /** Ends all environments. */
  cool: () => Promise<void>;
}

/** Ten years: far enough for every expiry, near enough for a slip to be noticed. */
const MAX_ADVANCE_S = 10 * 366 * 86_400;
const AdvanceSchema = v.object({
  advance_seconds: v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_ADVANCE_S)),
  /** Not before everything that runs has ended: no environment sees the time jump under its hands. */
  between_runs: v.optional(v.boolean(), false),
});

/** What tests and curious people ask of the stack itself: `/_local/…`. */
export function localApi(parts: LocalApiParts): Hono {
  const { clock, moved, sqs, scheduler, calls, logs, faults, working, between, cool } = parts;
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
      moved();
    };
    if (between_runs) await between(advance);
    else advance();
    return c.json(clockState());
  });
  app.get('/queues', c => c.json({ queues: sqs.depths() }));
  app.delete('/queues/:name?', c => {
    const name = c.req.param('name');
    return sqs.purge(name) ? c.json({ ok: true }) : c.json({ error: `There is no queue ${name}` }, 404);
  });
  app.get('/working', c => c.json({ working: working() }));
  app.delete('/environments', async c => {
    await cool();
    return c.json({ ok: true });
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
    return faults.clear(id) ? c.json({ ok: true }) : c.json({ error: `There is no fault ${id}` }, 404);
  });
  app.get('/schedules', c => c.json({ schedules: scheduler.schedules().map(shown) }));
  app.get('/calls', c => {
    const report = calls.report();
    if (!['', '0', 'false', undefined].includes(c.req.query('reset'))) calls.reset();
    return c.json(report);
  });
  app.get('/logs', c => c.json({ lines: logs.recent(c.req.query('function') ?? '') }));
  return app;
}

function shown(schedule: ReturnType<Scheduler['schedules']>[number]) {
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
