import { expect, test } from '@jest/globals';
import { SMALL } from '../../../test/support/broadcast.ts';
import { copiedTickParts } from '../copied-tick.ts';
import { soundBytes } from '../format.ts';
import { openCopier } from './copier.ts';
import type { FlvTag } from './flv-tags.ts';

const CONFIG = Buffer.from(
  '014d400dffe10016674d400deca146fc90800000030080000000f078a14cb01000468ce3cc20',
  'hex',
);
const COPIED = { config: CONFIG.toString('base64'), delay: 2, bit_rate: 100_000 };
/** Headers are 0, the end of the stream is 2. */
const PICTURE = 1;
const TICK_MS = 1000 / SMALL.fps;

const tick = (picture: Buffer, offset: number, is_key = false) =>
  Buffer.concat(copiedTickParts({ picture, offset, is_key, sound: Buffer.alloc(soundBytes(SMALL)) }));

/** Milliseconds that a picture is shown after it is decoded. */
const compositionOf = ({ data }: FlvTag) => data.readIntBE(2, 3);

/** Writes ticks and returns the tags. */
async function write(ticks: readonly (Buffer | null)[]) {
  const tags: FlvTag[] = [];
  const writer = await openCopier(SMALL, COPIED, sent => tags.push(sent));
  for (const each of ticks) await writer.write(each, false);
  await writer.finish();
  return {
    tags,
    pictures: tags.filter(({ type, data }) => type === 'video' && data[1] === PICTURE),
    sound: tags.filter(({ type, is_header }) => type === 'sound' && !is_header),
  };
}

test('begins with the configuration of the files, and sends their pictures in the order of decoding', async () => {
  const pictures = ['key', 'three', 'one', 'two'].map(text => Buffer.from(text));
  const offsets = [0, 2, -1, -1];
  const sent = await write(pictures.map((picture, index) => tick(picture, offsets[index]!, index === 0)));
  const [header] = sent.tags.filter(({ type, is_header }) => type === 'video' && is_header);
  expect(header!.data.subarray(5)).toEqual(CONFIG);
  expect(sent.pictures.map(({ data }) => data.subarray(5))).toEqual(pictures);
  expect(sent.pictures.map(({ is_key }) => is_key)).toEqual([true, false, false, false]);
  const shown = sent.pictures.map(each => Math.round((each.time + compositionOf(each)) / TICK_MS));
  // The times of the stream begin with those of the sound, a tick before; the delay of two follows.
  expect(shown).toEqual([3, 6, 4, 5]);
  expect(sent.pictures.map(({ time }) => Math.round(time / TICK_MS))).toEqual([1, 2, 3, 4]);
  expect(Math.abs(sent.sound[0]!.time - (3 * TICK_MS - 1024 / 48))).toBeLessThan(1);
});

test('begins with silence where the first item is late', async () => {
  const sent = await write([null, tick(Buffer.from('a'), 0, true), null, tick(Buffer.from('b'), 1)]);
  expect(sent.pictures.map(({ time }) => Math.round(time / TICK_MS))).toEqual([2, 4]);
});

test('sends no empty picture', async () => {
  const sent = await write([tick(Buffer.from('a'), 0, true), tick(Buffer.alloc(0), 0)]);
  expect(sent.pictures).toHaveLength(1);
});

test('sends silence but no picture for ticks that no item has, without waiting for one', async () => {
  const missing = Array.from({ length: 10 * SMALL.fps }, () => null);
  const sent = await write([tick(Buffer.from('a'), 0, true), ...missing, tick(Buffer.from('b'), 0, true)]);
  expect(sent.pictures.map(({ time }) => Math.round(time / TICK_MS))).toEqual([1, missing.length + 2]);
  const steps = sent.sound.slice(1).map(({ time }, index) => time - sent.sound[index]!.time);
  expect(Math.max(...steps)).toBeLessThan(25);
  // Sound leaves while the picture is away, not when it is back.
  const before = sent.tags.slice(0, sent.tags.indexOf(sent.pictures[1]!));
  expect(before.filter(({ type }) => type === 'sound').length).toBeGreaterThan(sent.sound.length * 0.9);
});

test('never shows a picture before it is decoded', async () => {
  const sent = await write([tick(Buffer.from('a'), 0, true), tick(Buffer.from('b'), -100)]);
  expect(sent.pictures.map(compositionOf).every(time => time >= 0)).toBe(true);
});
