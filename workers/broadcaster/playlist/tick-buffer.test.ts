import { expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { SMALL } from '../../../test/support/broadcast.ts';
import { copiedTickParts, MAX_PICTURE_BYTES, readCopiedTick } from '../copied-tick.ts';
import { soundBytes } from '../format.ts';
import { copiedLayout, createTickBuffer } from './tick-buffer.ts';

const SOUND = Buffer.alloc(soundBytes(SMALL), 7);
const tick = (length: number, offset: number, is_key: boolean) => ({
  picture: Buffer.alloc(length, length),
  offset,
  is_key,
  sound: SOUND,
});

test('cuts a stream into ticks of different lengths, wherever its pieces end', async () => {
  const ticks = [tick(5, 0, true), tick(0, -2, false), tick(3000, 300, false)];
  const bytes = Buffer.concat(ticks.flatMap(copiedTickParts));
  for (const size of [1, 6, 7, 4096, bytes.length]) {
    const stream = new PassThrough();
    const buffer = createTickBuffer(stream, copiedLayout(SMALL));
    for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
    while (buffer.received() < bytes.length) await setImmediate();
    expect(ticks.map(() => readCopiedTick(buffer.take()!))).toEqual(ticks);
    expect(buffer.take()).toBeNull();
  }
});

test('does not read more than it may hold, and goes on when a tick was taken', async () => {
  const stream = new PassThrough();
  const buffer = createTickBuffer(stream, copiedLayout(SMALL));
  for (let count = 0; count < 100; count += 1)
    stream.write(Buffer.concat(copiedTickParts(tick(10, 0, true))));
  while (!buffer.isFull()) await setImmediate();
  let taken = 0;
  while (taken < 100) {
    if (buffer.take()) taken += 1;
    else await setImmediate();
  }
  expect(buffer.has()).toBe(false);
});

test('destroys a stream whose tick is too long', async () => {
  const stream = new PassThrough();
  const buffer = createTickBuffer(stream, copiedLayout(SMALL));
  const header = Buffer.alloc(7);
  header.writeUInt32BE(MAX_PICTURE_BYTES + 1);
  stream.write(header);
  while (!stream.destroyed) await setImmediate();
  expect(buffer.take()).toBeNull();
});
