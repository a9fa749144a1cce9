import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { connect } from '../../../../test/support/youtube.ts';
import { sandbox } from './server.ts';

const API = 'https://www.googleapis.com/youtube/v3';

let host: TestSandbox;
let grant: AnyGrant;
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
});
afterEach(() => host.close());

interface Answer {
  id: string;
  status: { lifeCycleStatus: string };
  cdn: { ingestionInfo: { streamName: string } };
  items: Answer[];
  error?: { errors: { reason: string }[] };
}

/** Sends a request and returns the reason of a refusal, else the status, with the body. */
async function call(method: 'GET' | 'POST' | 'DELETE', path: string, json?: object) {
  const { status, body } = await host.http.send({
    method,
    url: `${API}/${path}`,
    headers: {
      authorization: `Bearer ${grant.credentials['access_token']}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' ? { body: json === undefined ? '' : JSON.stringify(json) } : {}),
    timeoutMs: 30_000,
  });
  const text = body.toString();
  const parsed = (text === '' ? {} : JSON.parse(text)) as Answer;
  return { ...parsed, outcome: parsed.error?.errors[0]?.reason ?? status };
}

const BROADCAST = 'liveBroadcasts?part=snippet,status,contentDetails';
const STREAM = 'liveStreams?part=snippet,cdn,contentDetails';
const start = () => new Date(host.now() + 60_000).toISOString();
const broadcast = (contentDetails: Record<string, unknown> = {}) => ({
  snippet: { title: 'Show', scheduledStartTime: start() },
  status: { privacyStatus: 'public' },
  contentDetails,
});
const stream = {
  snippet: { title: 'Stream' },
  cdn: { ingestionType: 'rtmp', resolution: 'variable', frameRate: 'variable' },
  contentDetails: { isReusable: false },
};

async function bound(contentDetails: Record<string, unknown> = {}) {
  const { id } = await call('POST', BROADCAST, broadcast(contentDetails));
  const { id: streamId, cdn } = await call('POST', STREAM, stream);
  await call('POST', `liveBroadcasts/bind?id=${id}&streamId=${streamId}&part=id`);
  return { id, streamId, key: cdn.ingestionInfo.streamName };
}

const move = async (id: string, to: string) =>
  (await call('POST', `liveBroadcasts/transition?part=status&id=${id}&broadcastStatus=${to}`)).outcome;
const stage = async (id: string) =>
  (await call('GET', `liveBroadcasts?part=status&id=${id}`)).items[0]!.status.lifeCycleStatus;

describe('refuses', () => {
  const without = (part: 'snippet' | 'status', member: string) => {
    const body: Record<string, Record<string, unknown>> = broadcast();
    return { ...body, [part]: { ...body[part], [member]: undefined } };
  };
  test.each<[string, string, () => object | undefined]>([
    ['unexpectedPart', 'liveBroadcasts?part=snippet,status', broadcast],
    ['unknownPart', 'liveBroadcasts?part=cdn', broadcast],
    ['required', 'liveBroadcasts', broadcast],
    ['titleRequired', BROADCAST, () => without('snippet', 'title')],
    ['scheduledStartTimeRequired', BROADCAST, () => without('snippet', 'scheduledStartTime')],
    ['privacyStatusRequired', BROADCAST, () => without('status', 'privacyStatus')],
    ['cdnRequired', STREAM, () => ({ snippet: { title: 'S' } })],
    ['invalidFrameRate', STREAM, () => ({ ...stream, cdn: { ...stream.cdn, frameRate: '25fps' } })],
    ['liveBroadcastNotFound', 'liveBroadcasts/transition?part=id&id=x&broadcastStatus=live', () => undefined],
  ])('%s', async (reason, path, body) => {
    expect((await call('POST', path, body())).outcome).toBe(reason);
  });

  test('two filters together, and none', async () => {
    const list = async (query: string) => (await call('GET', `liveBroadcasts?part=id${query}`)).outcome;
    expect(await list('&mine=true&broadcastStatus=upcoming')).toBe('incompatibleParameters');
    expect(await list('')).toBe('missingRequiredParameter');
    expect(await list('&mine=true')).toBe(200);
  });

  test('everything to a channel without live streaming', async () => {
    const { id } = await bound();
    host.platform.change?.('demo', { live: false });
    expect((await call('GET', 'liveBroadcasts?part=id&mine=true')).outcome).toBe('liveStreamingNotEnabled');
    expect(await move(id, 'live')).toBe('liveStreamingNotEnabled');
  });

  test('a second broadcast on a stream that is not reusable', async () => {
    const { streamId } = await bound();
    const { id } = await call('POST', BROADCAST, broadcast());
    const { outcome } = await call('POST', `liveBroadcasts/bind?id=${id}&streamId=${streamId}&part=id`);
    expect(outcome).toBe('liveBroadcastBindingNotAllowed');
    expect((await call('DELETE', `liveStreams?id=${streamId}`)).outcome).toBe('liveStreamDeletionNotAllowed');
  });
});

test('goes through the preview where the monitor stream is on', async () => {
  const { id, key } = await bound();
  expect(await move(id, 'testing')).toBe('errorStreamInactive');
  host.platform.ingest?.streamStarted(key);
  expect(await move(id, 'live')).toBe('invalidTransition');
  expect(await move(id, 'testing')).toBe(200);
  expect(await move(id, 'testing')).toBe('redundantTransition');
  host.advance(5000);
  expect(await stage(id)).toBe('testing');
  expect(await move(id, 'live')).toBe(200);
  expect(await move(id, 'complete')).toBe('invalidTransition');
  host.advance(5000);
  expect(await stage(id)).toBe('live');
  expect((await call('DELETE', `videos?id=${id}`)).outcome).toBe('liveBroadcastDeletionNotAllowed');
});

test('starts and stops by itself where that is asked for', async () => {
  const { id, key } = await bound({ enableAutoStart: true, enableAutoStop: true });
  host.platform.ingest?.streamStarted(key);
  expect(await stage(id)).toBe('liveStarting');
  host.advance(5000);
  expect(await stage(id)).toBe('live');
  host.platform.ingest?.streamStopped(key);
  host.advance(59_000);
  expect(await stage(id)).toBe('live');
  host.advance(1000);
  expect(await stage(id)).toBe('complete');
  expect(await move(id, 'complete')).toBe('redundantTransition');
});
