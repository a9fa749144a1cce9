import * as v from 'valibot';
import { arn } from '../template/names.ts';
import type { LocalStore, Collection } from '../store.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';
import {
  CreateGroupSchema,
  GroupSchema,
  ListQuerySchema,
  NameSchema,
  ScheduleInputSchema,
  StoredScheduleSchema,
  parseInput,
  type ScheduleInput,
  type StoredSchedule,
} from './scheduler-schemas.ts';
import { dueAt } from './scheduler-time.ts';

export interface SchedulerOptions {
  store: LocalStore;
  /** Epoch milliseconds. */
  now: () => number;
  /** Schedules fire up to this many seconds late, as in EventBridge Scheduler. */
  jitterS: number;
  /** Delivers to a target. The schedule fires again later if this rejects. */
  deliver: (targetArn: string, input: string) => Promise<void>;
}

export interface Scheduler {
  handle: (method: string, url: URL, body: unknown) => AwsResponse;
  createGroup: (name: string) => void;
  schedules: () => StoredSchedule[];
  /** Fires the schedules that are due. */
  tick: () => Promise<void>;
}

const DEFAULT_GROUP = 'default';
const MAX_RESULTS = 100;
const RETRY_MS = 5000;

/**
 * EventBridge Scheduler: schedules and groups with the names, limits and errors of the real service. One-time schedules
 * fire at least once: if the process dies between delivery and completion, the schedule fires again.
 */
export function createScheduler({ store, now, jitterS, deliver }: SchedulerOptions): Scheduler {
  const schedules = store.collection('schedule', StoredScheduleSchema);
  const groups = store.collection('schedule-group', GroupSchema);
  const firing = new Set<string>();
  if (!groups.get(DEFAULT_GROUP)) groups.set(DEFAULT_GROUP, { ClientToken: null });

  function handle(method: string, url: URL, body: unknown): AwsResponse {
    const [, collection = '', name] = url.pathname.split('/').map(decodeURIComponent);
    const query = Object.fromEntries(url.searchParams);
    const route = `${method} ${collection}${name === undefined ? '' : '/name'}`;
    const run = routes[route];
    if (!run)
      throw new AwsError('UnknownOperationException', `The local Scheduler does not support ${route}`, 404);
    return ok(run(name ?? '', body, query));
  }

  const routes: Record<string, (name: string, body: unknown, query: Record<string, string>) => unknown> = {
    'POST schedules/name': (name, body) =>
      create(parseInput(NameSchema, name), parseInput(ScheduleInputSchema, body)),
    'PUT schedules/name': (name, body) => update(name, parseInput(ScheduleInputSchema, body)),
    'GET schedules/name': (name, _, query) => toOutput(existing(query['groupName'] ?? DEFAULT_GROUP, name)),
    'DELETE schedules/name': (name, _, query) => {
      const schedule = existing(query['groupName'] ?? DEFAULT_GROUP, name);
      schedules.delete(schedule.Arn);
      return {};
    },
    'GET schedules': (_, __, query) => list(schedules, parseInput(ListQuerySchema, query)),
    'POST schedule-groups/name': (name, body) =>
      createGroup(parseInput(NameSchema, name), parseInput(CreateGroupSchema, body).ClientToken),
    'GET schedule-groups/name': name => {
      if (!groups.get(name)) throw missing('Schedule group', name);
      return { Arn: groupArn(name), Name: name, State: 'ACTIVE' };
    },
  };

  function createGroup(name: string, token: string | null) {
    const old = groups.get(name);
    if (old && (token === null || old.ClientToken !== token)) throw conflict('Schedule group', name);
    groups.set(name, { ClientToken: token });
    return { ScheduleGroupArn: groupArn(name) };
  }

  function create(name: string, input: ScheduleInput) {
    if (!groups.get(input.GroupName)) throw missing('Schedule group', input.GroupName);
    const Arn = scheduleArn(input.GroupName, name);
    const old = schedules.get(Arn);
    if (old) {
      if (old.ClientToken === null || old.ClientToken !== input.ClientToken) throw conflict('Schedule', name);
      return { ScheduleArn: Arn };
    }
    schedules.set(Arn, stored(name, Arn, input, now()));
    return { ScheduleArn: Arn };
  }

  function update(name: string, input: ScheduleInput) {
    const old = existing(input.GroupName, name);
    schedules.set(old.Arn, stored(name, old.Arn, input, old.CreationDate * 1000));
    return { ScheduleArn: old.Arn };
  }

  function existing(group: string, name: string): StoredSchedule {
    const schedule = schedules.get(scheduleArn(group, name));
    if (!schedule) throw missing('Schedule', name);
    return schedule;
  }

  function stored(name: string, Arn: string, input: ScheduleInput, createdMs: number): StoredSchedule {
    const fireAt = dueAt(input.ScheduleExpression, input.ScheduleExpressionTimezone);
    if (fireAt < now())
      throw new AwsError('ValidationException', 'Invalid Schedule Expression: the time is in the past.');
    return {
      ...input,
      Name: name,
      Arn,
      CreationDate: createdMs / 1000,
      LastModificationDate: now() / 1000,
      fire_at: fireAt + Math.random() * jitterS * 1000,
    };
  }

  async function tick(): Promise<void> {
    const due = schedules.all().filter(({ value }) => value.State === 'ENABLED' && value.fire_at <= now());
    await Promise.all(due.filter(({ name }) => !firing.has(name)).map(({ value }) => fire(value)));
  }

  async function fire(schedule: StoredSchedule): Promise<void> {
    firing.add(schedule.Arn);
    try {
      await deliver(schedule.Target.Arn, schedule.Target.Input ?? '{}');
      complete(schedule);
    } catch (error) {
      console.error(`Could not deliver the schedule ${schedule.Name} to its target:`, error);
      if (isCurrent(schedule)) schedules.set(schedule.Arn, { ...schedule, fire_at: now() + RETRY_MS });
    } finally {
      firing.delete(schedule.Arn);
    }
  }

  /** Whether the schedule was neither updated nor deleted while it fired. An updated one has not fired yet. */
  function isCurrent(fired: StoredSchedule): boolean {
    return schedules.get(fired.Arn)?.LastModificationDate === fired.LastModificationDate;
  }

  function complete(fired: StoredSchedule): void {
    if (!isCurrent(fired)) return;
    if (fired.ActionAfterCompletion === 'DELETE') schedules.delete(fired.Arn);
    else schedules.set(fired.Arn, { ...fired, fire_at: Number.MAX_SAFE_INTEGER });
  }

  return {
    handle,
    tick,
    createGroup: name => {
      if (!groups.get(name)) createGroup(name, null);
    },
    schedules: () => schedules.all().map(({ value }) => value),
  };
}

function list(schedules: Collection<StoredSchedule>, query: v.InferOutput<typeof ListQuerySchema>) {
  const matching = schedules
    .all()
    .map(({ value }) => value)
    .filter(
      ({ GroupName, Name, State, Arn }) =>
        (query.ScheduleGroup === undefined || GroupName === query.ScheduleGroup) &&
        (query.State === undefined || State === query.State) &&
        Name.startsWith(query.NamePrefix ?? '') &&
        Arn > (query.NextToken ?? ''),
    );
  const page = matching.slice(0, query.MaxResults ?? MAX_RESULTS);
  const last = matching.length > page.length ? page.at(-1) : undefined;
  return { Schedules: page.map(summary), ...(last ? { NextToken: last.Arn } : {}) };
}

function summary(schedule: StoredSchedule) {
  const { Arn, Name, GroupName, State, CreationDate, LastModificationDate, Target } = schedule;
  return { Arn, Name, GroupName, State, CreationDate, LastModificationDate, Target: { Arn: Target.Arn } };
}

/** The schedule without the emulator's own members. */
function toOutput(schedule: StoredSchedule) {
  return { ...schedule, ClientToken: undefined, fire_at: undefined };
}

const scheduleArn = (group: string, name: string) => arn('scheduler', `schedule/${group}/${name}`);
const groupArn = (name: string) => arn('scheduler', `schedule-group/${name}`);
const missing = (what: string, name: string) =>
  new AwsError('ResourceNotFoundException', `${what} ${name} does not exist.`, 404);
const conflict = (what: string, name: string) =>
  new AwsError('ConflictException', `${what} ${name} already exists.`, 409);
