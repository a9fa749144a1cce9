import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { broadcastWorld, type BroadcastWorld } from '../../test/support/broadcast-world.ts';
import { crashingServices } from '../../test/support/crashing-services.ts';
import { LOCK_MS } from '../store/idempotency.ts';
import { MINUTE } from '../time/instant.ts';

/*
 * The controller dies after each of its calls to table, queue, Scheduler, tasks and YouTube, and another process goes on. A
 * death after a call is a death before the next one.
 */

const PATH = '/integrations/youtube/broadcasts';

let world: BroadcastWorld;
beforeAll(async () => void (world = await broadcastWorld()));
afterAll(() => world.close());

let count = 0;
const request = (changes: object = {}) => ({
  profile_name: 'Acme',
  title: `Show ${(count += 1)}`,
  playlist_id: world.playlist,
  ...changes,
});

interface Scenario {
  name: string;
  /** When it is stopped. */
  stopped: 'pending' | 'starting' | 'live';
  is_deleted: boolean;
  /** Its worker dies before it is stopped. */
  loses_worker: boolean;
}

const LIVE: Scenario = {
  name: 'is stopped while it is live',
  stopped: 'live',
  is_deleted: false,
  loses_worker: false,
};
const OTHERS: Scenario[] = [
  { ...LIVE, name: 'is deleted while it is live', is_deleted: true },
  { ...LIVE, name: 'is stopped while it starts', stopped: 'starting' },
  { ...LIVE, name: 'is deleted before it starts', stopped: 'pending', is_deleted: true },
  { ...LIVE, name: 'loses its worker', loses_worker: true },
];

/** Returns what is left of a broadcast, and how it was announced. */
function expected({ stopped, is_deleted }: Scenario, title: string) {
  const [status, stage] = stopped === 'live' ? ['completed', 'complete'] : ['stopped', 'ready'];
  return {
    status: is_deleted ? undefined : status,
    shown: is_deleted ? [] : [{ title, stage }],
    running: 0,
    events: stopped === 'live' ? 2 : 1,
  };
}

/**
 * Runs a broadcast from its creation to its end. The n-th call of its controllers is the last of its process. Returns the
 * number of calls, and how many of them came before what the scenario is about.
 */
async function runWithCrash(scenario: Scenario, crash: number | null) {
  world.events.length = 0;
  world.workers.started.length = 0;
  // The quota suffices for about thirty broadcasts a day.
  if (count % 20 === 0) world.nextDay();
  const { stopped, is_deleted, loses_worker } = scenario;
  const start_time = new Date(world.host.now() + 5 * MINUTE).toISOString();
  const body = request(stopped === 'pending' ? { start_time } : {});
  Object.assign(world.calls, { total: 0, crash });
  const { id } = await world.create(body);
  await world.untilStatus(id, stopped);
  const before = world.calls.total;
  if (loses_worker) {
    world.workers.kill();
    await world.until(id, session => session?.attempt === 2 && session.worker_state === 'streaming');
  }
  const stops = [await world.stop(id, { delete_broadcast: is_deleted }), await world.stop(id)];
  const session = await world.untilSettled(id);
  const { started, running } = world.workers;
  expect({
    crash,
    stops: stops.map(({ status }) => status),
    status: session?.status,
    shown: world.shown().filter(({ title }) => title === body.title),
    running: running().length,
    attempts: started.map(({ attempt }) => attempt),
    events: new Set(world.events.map(({ event, id: eventId }) => `${event} ${eventId}`)).size,
  }).toEqual({
    crash,
    stops: [200, is_deleted ? 404 : 409],
    ...expected(scenario, body.title),
    attempts: started.map((_, index) => index + 1),
  });
  // A worker takes the place of a living one only where its task was not known yet.
  expect(started.length).toBeLessThanOrEqual(2);
  return { before, calls: world.calls.total };
}

test(`a controller that dies at any of its calls leaves no task of a broadcast that ${LIVE.name}`, async () => {
  const { calls } = await runWithCrash(LIVE, null);
  expect(calls).toBeGreaterThan(20);
  for (let crash = 1; crash <= calls; crash += 1) await runWithCrash(LIVE, crash);
});

// Until then, their controllers do the same as that of the first.
test.each(OTHERS)('neither does one of a broadcast that $name', async scenario => {
  const { before, calls } = await runWithCrash(scenario, null);
  expect(calls).toBeGreaterThan(before);
  for (let crash = before + 1; crash <= calls; crash += 1) await runWithCrash(scenario, crash);
});

test('a stop that dies at any of its calls ends the broadcast', async () => {
  world.nextDay();
  Object.assign(world.calls, { total: 0, crash: null });
  const stopWithCrash = async (at: number | null) => {
    const { id } = await world.create(request());
    await world.untilStatus(id, 'starting');
    const process = crashingServices(world.services, at === null ? null : { at, when: 'after' });
    await world.inProcessOf(process.services)('POST', `${PATH}/${id}/stop`, {});
    const { status } = await world.stop(id);
    const session = await world.untilSettled(id);
    expect({ at, session: session?.status, running: world.workers.running() }).toEqual({
      at,
      session: 'stopped',
      running: [],
    });
    return { status, calls: process.calls() };
  };
  const { calls } = await stopWithCrash(null);
  const repeated: number[] = [];
  for (let at = 1; at <= calls; at += 1) repeated.push((await stopWithCrash(at)).status);
  // Before the end is stored the repetition ends the broadcast, then it is told that somebody did.
  expect(new Set(repeated)).toEqual(new Set([200, 409]));
});

/** Sends a request whose process dies after its n-th call. Returns the number of calls. */
async function createWithCrash(at: number | null, body: object, key: string): Promise<number> {
  const process = crashingServices(world.services, at === null ? null : { at, when: 'after' });
  await world.inProcessOf(process.services)('POST', PATH, body, { 'idempotency-key': key });
  return process.calls();
}

const inAnHour = () => request({ start_time: new Date(world.host.now() + 3_600_000).toISOString() });

test('a request that dies at any of its calls creates one broadcast when it is repeated', async () => {
  world.nextDay();
  const calls = await createWithCrash(null, inAnHour(), 'clean');
  expect(calls).toBeGreaterThan(5);
  for (let at = 1; at <= calls; at += 1) {
    const body = inAnHour();
    await createWithCrash(at, body, body.title);
    world.host.advance(LOCK_MS + 1);
    const repeated = await world.call('POST', PATH, body, { 'idempotency-key': body.title });
    const shown = world.shown().filter(({ title }) => title === body.title);
    expect({ at, status: repeated.status, shown }).toEqual({
      at,
      status: 200,
      shown: [{ title: body.title, stage: 'ready' }],
    });
  }
});

test('a request that dies at any of its calls and is not repeated leaves only what the list shows', async () => {
  world.nextDay();
  const profile = await world.addProfile('Once');
  await world.addAccount(profile);
  const body = () => ({ ...inAnHour(), profile_name: 'Once', playlist_id: null });
  const first = world.host.posts().length;
  const calls = await createWithCrash(null, body(), 'once');
  for (let at = 1; at <= calls; at += 1) await createWithCrash(at, body(), `once ${at}`);
  await world.run(10 * MINUTE);
  const listed = (await world.list(profile.id)).map(({ title }) => title);
  expect(listed.length).toBeGreaterThan(0);
  expect(listed.length).toBeLessThan(calls);
  const shown = world.shown().slice(first);
  expect(shown.map(({ title }) => title).sort()).toEqual(listed.sort());
});
