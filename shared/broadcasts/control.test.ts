import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { broadcastWorld, type BroadcastWorld } from '../../test/support/broadcast-world.ts';
import { putConnection, deleteConnection } from '../store/connections.ts';
import { HOUR, MINUTE, SECOND, toIso } from '../time/instant.ts';
import { endBroadcasts } from './stop.ts';

let world: BroadcastWorld;
beforeAll(async () => void (world = await broadcastWorld()));
afterAll(() => world.close());
beforeEach(() => {
  world.events.length = 0;
  world.queue.length = 0;
  world.workers.started.length = 0;
  Object.assign(world.workers.options, { hasCapacity: true, stops: true });
});

let count = 0;
const create = (changes: object = {}) =>
  world.create({
    profile_name: 'Acme',
    title: `Show ${(count += 1)}`,
    playlist_id: world.playlist,
    ...changes,
  });

async function live(changes: object = {}) {
  const made = await create(changes);
  await world.untilStatus(made.id, 'live');
  return made;
}

const stop = (id: string, body: object = {}) => world.stop(id, body);
const stageOf = (youtubeId: string) =>
  world.host.posts().find(post => post.platform_post_id === youtubeId)?.fields['life_cycle_status'] ?? 'gone';
const kinds = () => world.events.map(({ event }) => event);
const running = () => world.workers.running().map(({ attempt }) => attempt);
/** Asserts that a broadcast is over, and that it has no running task and no pending work left. */
async function expectOver(id: string, status: string): Promise<void> {
  const session = await world.untilSettled(id);
  expect(session).toMatchObject({ status, lease: null, outbox: [] });
  expect(running()).toEqual([]);
}

describe('a playlist', () => {
  test('is started ahead, goes live at its time, and is completed by a stop', async () => {
    const start_time = toIso(world.host.now() + 20 * MINUTE);
    const { id, youtubeId } = await create({ start_time });
    const starting = await world.untilStatus(id, 'starting');
    expect(Date.parse(start_time) - world.host.now()).toBeLessThanOrEqual(2 * MINUTE);
    expect(Date.parse(start_time) - world.host.now()).toBeGreaterThan(90 * SECOND);
    expect(starting).toMatchObject({ attempt: 1, replacements: 0 });

    const session = await world.untilStatus(id, 'live');
    const late = (session?.started_at ?? 0) - Date.parse(start_time);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(20 * SECOND);
    expect(stageOf(youtubeId)).toBe('live');

    await world.run(10 * MINUTE);
    expect(await stop(id)).toMatchObject({
      status: 200,
      body: { status: 'completed', message: expect.stringContaining('complete') },
    });
    await expectOver(id, 'completed');
    expect(stageOf(youtubeId)).toBe('complete');
    expect(kinds()).toEqual(['broadcast.live', 'broadcast.ended']);
    expect(world.events[1]?.data).toEqual({
      session_id: id,
      profile_id: world.profile.id,
      profile_name: 'Acme',
      social_account_id: world.account.id,
      title: session?.title,
      youtube_broadcast_id: youtubeId,
      broadcast_url: `https://www.youtube.com/watch?v=${youtubeId}`,
      started_at: toIso(session?.started_at ?? 0),
      status: 'completed',
      ended_at: expect.any(String),
      error: null,
    });
  });

  test('is completed when it ends by itself', async () => {
    const { id, youtubeId } = await live({ is_loop: false });
    world.workers.finish('finished');
    await expectOver(id, 'completed');
    expect(stageOf(youtubeId)).toBe('complete');
  });

  test.each([
    ['before its start', 'pending', {}],
    ['while it starts', 'starting', {}],
  ] as const)('can be stopped %s', async (_, status, body) => {
    const { id, youtubeId } = await create({ start_time: toIso(world.host.now() + 10 * MINUTE) });
    await world.untilStatus(id, status);
    expect(await stop(id, body)).toMatchObject({ body: { status: 'stopped' } });
    await expectOver(id, 'stopped');
    expect(stageOf(youtubeId)).toBe('ready');
    expect(kinds()).toEqual(['broadcast.ended']);
  });

  test.each(['pending', 'starting', 'live'] as const)('is deleted from %s', async status => {
    const { id, youtubeId } = await create();
    await world.untilStatus(id, status);
    expect((await stop(id, { delete_broadcast: true })).status).toBe(200);
    expect(await world.untilSettled(id)).toBeNull();
    expect(stageOf(youtubeId)).toBe('gone');
    expect(running()).toEqual([]);
  });
});

describe('a worker', () => {
  test('that dies is replaced within a minute, once; then the broadcast fails with the reason', async () => {
    const { id, youtubeId } = await live();
    world.workers.kill();
    const diedAt = world.host.now();
    const replaced = await world.until(id, session => session?.worker_state === 'streaming');
    await world.until(id, session => session?.attempt === 2 && session.worker_state === 'streaming');
    expect(world.host.now() - diedAt).toBeLessThanOrEqual(MINUTE);
    expect(replaced?.status).toBe('live');
    expect(stageOf(youtubeId)).toBe('live');
    expect(running()).toEqual([2]);

    world.workers.kill();
    await expectOver(id, 'failed');
    expect(await world.read(id)).toMatchObject({ failure: { code: 'WORKER_LOST' } });
    expect(stageOf(youtubeId)).toBe('complete');
    expect(kinds()).toEqual(['broadcast.live', 'broadcast.failed']);
    expect(world.events[1]?.data).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' } });
  });

  test('may be replaced again in the next hour', async () => {
    const { id } = await live();
    for (const attempt of [2, 3]) {
      world.workers.kill();
      await world.until(id, session => session?.attempt === attempt && session.worker_state === 'streaming');
      if (attempt === 2) world.host.advance(HOUR);
    }
    await stop(id);
    await expectOver(id, 'completed');
  });

  test('that is silent for 90 seconds is stopped and replaced', async () => {
    const { id } = await live();
    world.workers.hang();
    const silentFrom = world.host.now();
    await world.until(id, session => session?.attempt === 2);
    expect(world.host.now() - silentFrom).toBeGreaterThan(80 * SECOND);
    expect(world.host.now() - silentFrom).toBeLessThan(130 * SECOND);
    await world.until(id, session => session?.worker_state === 'streaming');
    expect(running()).toEqual([2]);
    await stop(id);
    await expectOver(id, 'completed');
  });

  test('that reports a failure fails the broadcast', async () => {
    const { id } = await live();
    world.workers.finish('failed');
    await expectOver(id, 'failed');
    expect(await world.read(id)).toMatchObject({ failure: { code: 'WORKER_FAILED' } });
  });

  test('that cannot be started for lack of capacity is tried again, then the broadcast fails', async () => {
    world.workers.options.hasCapacity = false;
    const first = await create();
    await world.untilStatus(first.id, 'starting');
    await world.run(MINUTE);
    world.workers.options.hasCapacity = true;
    await world.untilStatus(first.id, 'live');
    await stop(first.id);
    await expectOver(first.id, 'completed');

    world.workers.options.hasCapacity = false;
    const { id } = await create();
    await expectOver(id, 'failed');
    expect(await world.read(id)).toMatchObject({ failure: { code: 'NO_CAPACITY' } });
  });

  test('that does not stop is waited for, while the broadcast ends at YouTube', async () => {
    const { id, youtubeId } = await live();
    world.workers.options.stops = false;
    world.workers.hang();
    await stop(id);
    await world.run(MINUTE);
    expect(stageOf(youtubeId)).toBe('complete');
    expect((await world.read(id))?.next_at).not.toBeNull();
    world.workers.options.stops = true;
    await expectOver(id, 'completed');
  });
});

describe('YouTube', () => {
  test('that does not receive the stream for 15 minutes fails the broadcast', async () => {
    const { id } = await create();
    await world.untilStatus(id, 'starting');
    world.workers.started.forEach(task => (task.state = 'streaming'));
    await expectOver(id, 'failed');
    expect(await world.read(id)).toMatchObject({ failure: { code: 'NO_STREAM' } });
  });

  test('that answers 503 for a while delays the end, not the worker', async () => {
    const { id, youtubeId } = await live();
    world.host.failNext({ match: /youtube\/v3/, times: 3, respond: { status: 503 } });
    await stop(id);
    await expectOver(id, 'completed');
    expect(stageOf(youtubeId)).toBe('complete');
  });

  test('where the owner ended the broadcast completes the session', async () => {
    const { id, youtubeId } = await live();
    const token = world.host.traffic.at(-1)?.headers['authorization'] ?? '';
    await world.host.http.send({
      method: 'POST',
      url: `https://www.googleapis.com/youtube/v3/liveBroadcasts/transition?part=id&id=${youtubeId}&broadcastStatus=complete`,
      headers: { authorization: token },
      body: '',
      timeoutMs: 5000,
    });
    await expectOver(id, 'completed');
  });
});

describe('an own encoder', () => {
  test('takes the broadcast on air when it sends, without a worker', async () => {
    const { id } = await create({ playlist_id: null });
    await world.run(5 * MINUTE);
    expect((await world.read(id))?.status).toBe('pending');
    const [session] = await world.list(world.profile.id);
    world.host.platform.ingest?.streamStarted(session?.stream_key ?? '');
    await world.untilStatus(id, 'live');
    await stop(id);
    await expectOver(id, 'completed');
    expect(world.workers.started).toEqual([]);
  });

  test('that never sends is given up after a day', async () => {
    const { id, youtubeId } = await create({ playlist_id: null });
    world.host.advance(25 * HOUR);
    await expectOver(id, 'stopped');
    expect(await world.read(id)).toMatchObject({ failure: { code: 'NO_STREAM' } });
    expect(stageOf(youtubeId)).toBe('ready');
  });
});

test('goes on by the sweeper while no message can be sent', async () => {
  const { id } = await create();
  world.faults.sqs = true;
  world.queue.length = 0;
  await world.untilStatus(id, 'starting');
  world.faults.sqs = false;
  await world.untilStatus(id, 'live');
  await stop(id);
  await expectOver(id, 'completed');
});

test('a live broadcast of a disconnected account fails, and its worker ends', async () => {
  const { id } = await live();
  await deleteConnection(world.services.table, world.account);
  await expectOver(id, 'failed');
  expect(await world.read(id)).toMatchObject({ failure: { code: 'TOKEN_EXPIRED' } });
  await putConnection(world.services.table, world.account);
});

test('the broadcasts of a deleted profile are ended', async () => {
  const { id, youtubeId } = await live();
  const ref = { workspace_id: world.workspace.workspace_id, profile_id: world.profile.id };
  expect(await endBroadcasts(world.services, ref)).toBe(false);
  await expectOver(id, 'completed');
  expect(stageOf(youtubeId)).toBe('complete');
  expect(await endBroadcasts(world.services, ref)).toBe(true);
});
