import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectedAccount, type AnyGrant } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import { connect } from '../../../test/support/youtube.ts';
import type { JsonObject } from '../../model/json.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import type { LiveCalls } from '../contract/live.ts';
import { live } from './live.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
let grant: AnyGrant;
let quota: ReturnType<typeof unlimitedQuota>;
let calls: LiveCalls;
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
  quota = unlimitedQuota();
  calls = live.open(connectedAccount(grant, { app: APP }), { http: host.http, now: host.now, quota });
});
afterEach(() => host.close());

const show = (changes: object = {}) => ({
  title: 'Evening loop',
  description: 'All night',
  privacy: 'unlisted' as const,
  start_time: host.now() + MINUTE + 250,
  ...changes,
});
const change = (switches: JsonObject) => host.platform.change?.('demo', switches);
const ingest = () => host.platform.ingest!;
const sent = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));

/** Returns the ids and the key of a broadcast that is bound to a stream. */
async function bound() {
  const id = await calls.createBroadcast(show());
  const stream = await calls.createStream('Evening loop', 'session-1');
  await calls.bind(id, stream.id);
  return { id, stream };
}

async function onAir() {
  const made = await bound();
  ingest().streamStarted(made.stream.stream_key);
  await calls.goLive(made.id);
  host.advance(5 * SECOND);
  return made;
}

test('creates a broadcast that neither starts nor stops by itself, with a stream of its own', async () => {
  const { id, stream } = await bound();
  expect(JSON.parse(sent(/liveBroadcasts\?/)[0]!.body.toString())).toEqual({
    snippet: {
      title: 'Evening loop',
      description: 'All night',
      scheduledStartTime: '2026-03-02T10:01:00.000Z',
    },
    status: { privacyStatus: 'unlisted', selfDeclaredMadeForKids: false },
    contentDetails: {
      enableAutoStart: false,
      enableAutoStop: false,
      enableDvr: true,
      recordFromStart: true,
      latencyPreference: 'normal',
      monitorStream: { enableMonitorStream: false, broadcastStreamDelayMs: 0 },
    },
  });
  expect(stream).toEqual({
    id: expect.any(String),
    url: 'rtmps://a.rtmps.youtube.com/live2',
    stream_key: expect.stringMatching(/^[\w-]+$/),
  });
  expect(await calls.stageOf(id)).toBe('ready');
  expect(quota.spent).toEqual(['units 50', 'units 50', 'units 50', 'units 1']);
});

test('uses the address of the RTMP server behind the sandbox', async () => {
  ingest().listenAt('rtmp://127.0.0.1:1935/live2');
  expect((await calls.createStream('T', 'm')).url).toBe('rtmp://127.0.0.1:1935/live2');
});

test('goes live once YouTube receives the stream, and ends', async () => {
  const { id, stream } = await bound();
  expect(await calls.isReceiving(stream.id)).toBe(false);
  await expect(calls.goLive(id)).rejects.toMatchObject({ kind: 'transient' });
  expect(ingest().streamStarted(stream.stream_key)).toBe(true);
  expect(await calls.isReceiving(stream.id)).toBe(true);

  await calls.goLive(id);
  expect(await calls.stageOf(id)).toBe('starting');
  await calls.goLive(id);
  host.advance(5 * SECOND);
  expect(await calls.stageOf(id)).toBe('live');
  ingest().streamStopped(stream.stream_key);
  host.advance(10 * MINUTE);
  expect(await calls.stageOf(id)).toBe('live');

  await calls.complete(id);
  await calls.complete(id);
  expect(await calls.stageOf(id)).toBe('complete');
  expect(ingest().streamStarted('unknown')).toBe(false);
});

test('leaves a broadcast that never went live as it is', async () => {
  const { id, stream } = await bound();
  await calls.complete(id);
  await calls.deleteStream(stream.id);
  expect(await calls.stageOf(id)).toBe('ready');
});

test.each(['allowed', 'video_first'])('deletes a completed broadcast where that is %s', async mode => {
  change({ live_delete_completed: mode });
  const { id, stream } = await onAir();
  await expect(calls.deleteBroadcast(id)).rejects.toThrow('deletion is not allowed');
  await calls.complete(id);
  await calls.deleteBroadcast(id);
  await calls.deleteBroadcast(id);
  await calls.deleteStream(stream.id);
  await calls.deleteStream(stream.id);
  expect(await calls.stageOf(id)).toBe('gone');
  expect(host.posts()).toEqual([]);
});

test('deletes a broadcast that never went live, and then its stream', async () => {
  const { id, stream } = await bound();
  await calls.deleteBroadcast(id);
  await calls.deleteStream(stream.id);
  expect(await calls.findStream('session-1')).toBeNull();
});

describe('after a lost response', () => {
  test('finds the broadcast by title and start among many', async () => {
    for (let count = 0; count < 51; count += 1)
      await calls.createBroadcast(show({ title: `Other ${count}` }));
    host.failNext({ match: /liveBroadcasts/, method: 'POST', drop: 'after' });
    await expect(calls.createBroadcast(show())).rejects.toMatchObject({ outcomeUnknown: true });
    const found = await calls.findBroadcasts(show());
    expect(found).toEqual([{ id: expect.any(String), created_at: host.now() }]);
    expect(await calls.findBroadcasts(show({ start_time: host.now() + 2 * MINUTE }))).toEqual([]);
    expect(sent(/broadcastStatus=upcoming&broadcastType=all/)).toHaveLength(4);
  });

  test('finds the stream by its marker', async () => {
    host.failNext({ match: /liveStreams/, method: 'POST', drop: 'after' });
    await expect(calls.createStream('T', 'session-1')).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await calls.findStream('session-1')).toMatchObject({ stream_key: expect.any(String) });
    expect(await calls.findStream('session-2')).toBeNull();
  });
});

describe('errors', () => {
  test.each<[string, JsonObject, object]>([
    [
      'a channel without live streaming',
      { live: false },
      {
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        message: expect.stringContaining('youtube.com/features'),
      },
    ],
    [
      'a throttled channel',
      { live_throttled: true },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 15 * MINUTE },
    ],
  ])('of %s', async (_, switches, error) => {
    change(switches);
    await expect(calls.createBroadcast(show())).rejects.toMatchObject(error);
  });

  test.each([
    ['a start in the past', { start_time: 0 }, 'Scheduled start time'],
    ['a title that is too long', { title: 'x'.repeat(101) }, 'Title is invalid'],
    ['markup in the description', { description: '<b>' }, 'Description is invalid'],
  ])('of %s', async (_, changes, message) => {
    await expect(calls.createBroadcast(show(changes))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining(message),
    });
  });

  test('of an exhausted quota', async () => {
    host.setLimit({ quota: 'units' });
    await expect(calls.createBroadcast(show())).rejects.toMatchObject({ code: 'QUOTA_EXHAUSTED' });
  });
});
