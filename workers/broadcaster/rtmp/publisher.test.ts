import { afterEach, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTlsReceivers } from '../../../test/support/bad-tls.ts';
import { startFakeIngest, type IngestBehavior } from '../../../test/support/fake-ingest.ts';
import { testWith } from '../../../test/support/tools.ts';
import type { FlvTag } from '../encoder/flv-tags.ts';
import { MESSAGE } from './chunks.ts';
import { createPublisher, type Publisher } from './publisher.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function publish(behavior: IngestBehavior, stall_ms = 10_000) {
  const ingest = await startFakeIngest(behavior);
  const counts = { connected: 0, lost: 0 };
  const publisher = createPublisher({
    ingest: ingest.address,
    max_queued: 1e6,
    onConnected: () => (counts.connected += 1),
    onLost: () => (counts.lost += 1),
    stall_ms,
  });
  cleanups.push(ingest.close, publisher.stop);
  return { ingest, publisher, counts };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}

function tag(more: Partial<FlvTag>): FlvTag {
  return { type: 'video', time: 0, data: Buffer.from('tag'), is_header: false, is_key: false, ...more };
}

const HEADERS = [
  tag({ type: 'metadata', data: Buffer.from('facts') }),
  tag({ is_header: true, data: Buffer.from('video header') }),
  tag({ type: 'sound', is_header: true, data: Buffer.from('sound header') }),
];

test('begins with the headers and the first key frame, at time 0, and ends the stream', async () => {
  const { ingest, publisher } = await publish({});
  HEADERS.forEach(publisher.send);
  await until(() => publisher.state().is_connected);
  publisher.send(tag({ time: 960, data: Buffer.from('no key') }));
  publisher.send(tag({ time: 1000, is_key: true, data: Buffer.from('key') }));
  publisher.send(tag({ type: 'sound', time: 990, data: Buffer.from('early sound') }));
  publisher.send(tag({ type: 'sound', time: 1010, data: Buffer.from('sound') }));
  await publisher.stop();

  const { commands, messages } = ingest.connections[0]!;
  expect(commands).toEqual([
    'connect',
    'releaseStream',
    'FCPublish',
    'createStream',
    'publish',
    'FCUnpublish',
    'deleteStream',
  ]);
  const media = messages.filter(({ type }) => type >= MESSAGE.sound && type <= MESSAGE.data);
  expect(media.map(({ payload }) => payload.toString())).toEqual([
    expect.stringMatching(/@setDataFramefacts$/),
    'video header',
    'sound header',
    'key',
    'sound',
  ]);
});

test('gives up a connection on which nothing moves, and connects again', async () => {
  const { publisher, counts } = await publish({ stopsReading: true }, 500);
  await until(() => counts.connected === 1);
  const large = Buffer.alloc(900_000);
  for (let time = 0; counts.lost === 0; time += 40) {
    publisher.send(tag({ time, is_key: true, data: large }));
    await sleep(10);
  }
  expect(publisher.state().last_error).toBe('The ingest stopped reading');
  await until(() => counts.connected === 2);
  expect(publisher.state()).toMatchObject({ is_connected: true, losses: 1 });
});

test('tells why the ingest refuses the stream, without its key', async () => {
  const { publisher, counts } = await publish({ publish: 'NetStream.Publish.BadName' });
  await until(() => publisher.state().last_error !== null);
  expect(publisher.state()).toMatchObject({
    is_connected: false,
    last_error: 'The ingest refused: NetStream.Publish.BadName',
  });
  expect(counts).toEqual({ connected: 0, lost: 0 });
});

test('stops while the ingest cannot be reached', async () => {
  const { ingest, publisher } = await publish({});
  await ingest.close();
  await publisher.stop();
  expect(publisher.state().is_connected).toBe(false);
});

test('stops while it connects, and ends the stream that the ingest has accepted meanwhile', async () => {
  const { ingest, publisher, counts } = await publish({});
  await publisher.stop();
  expect(ingest.connections[0]!.commands.at(-1)).toBe('deleteStream');
  expect(counts).toEqual({ connected: 0, lost: 0 });
});

testWith('openssl')('refuses an ingest whose certificate it cannot verify', async () => {
  const receivers = await startTlsReceivers(() => undefined);
  const { port } = new URL(receivers.url('self-signed'));
  const publisher: Publisher = createPublisher({
    ingest: { url: `rtmps://localhost:${port}/live2`, key: 'secret-key' },
    max_queued: 1e6,
    onConnected: () => undefined,
    onLost: () => undefined,
  });
  cleanups.push(receivers.close, publisher.stop);
  await until(() => publisher.state().last_error !== null);
  expect(publisher.state().last_error).toMatch(/self-signed certificate/);
});
