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

/** Runs a broadcast from its creation to its end. The n-th call of its controllers is the last of its process. */
async function runWithCrash(crash: number | null, deleted: boolean): Promise<number> {
  world.events.length = 0;
  world.workers.started.length = 0;
  // The quota suffices for about thirty broadcasts a day.
  if (count % 20 === 0) world.nextDay();
  const body = request();
  Object.assign(world.calls, { total: 0, crash });
  const { id } = await world.create(body);
  await world.untilStatus(id, 'live');
  await world.stop(id, { delete_broadcast: deleted });
  const session = await world.untilSettled(id);
  const shown = world.shown().filter(({ title }) => title === body.title);
  const { started, running } = world.workers;
  expect({
    crash,
    status: session?.status,
    shown,
    running: running().length,
    attempts: started.map(({ attempt }) => attempt),
    events: [...new Set(world.events.map(({ event, id: eventId }) => `${event} ${eventId}`))].length,
  }).toEqual({
    crash,
    status: deleted ? undefined : 'completed',
    shown: deleted ? [] : [{ title: body.title, stage: 'complete' }],
    running: 0,
    attempts: started.map((_, index) => index + 1),
    events: 2,
  });
  // A worker takes the place of a living one only where its task was not known yet.
  expect(started.length).toBeLessThanOrEqual(2);
  return world.calls.total;
}

test('a controller that dies at any of its calls ends one broadcast and leaves no task behind', async () => {
  const calls = Math.max(await runWithCrash(null, false), await runWithCrash(null, true));
  expect(calls).toBeGreaterThan(20);
  for (let crash = 1; crash <= calls; crash += 1) await runWithCrash(crash, crash % 2 === 0);
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
