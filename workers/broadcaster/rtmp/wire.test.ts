import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseIngest } from './address.ts';
import { decodeAmf, encodeAmf } from './amf.ts';
import { createMessageReader, encodeMessage, MESSAGE, type RtmpMessage } from './chunks.ts';

const value = fc.letrec(tie => ({
  value: fc.oneof(
    fc.double({ noNaN: true }),
    fc.string({ maxLength: 50 }),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(
      fc.string({ minLength: 1, maxLength: 10 }).filter(name => name !== '__proto__'),
      tie('value'),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
  ),
})).value as fc.Arbitrary<Parameters<typeof encodeAmf>[0]>;

test('AMF values are decoded as they were encoded', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), values => {
      expect(decodeAmf(encodeAmf(...values))).toEqual(values);
    }),
  );
});

test('messages arrive whole, however the network splits them', () => {
  const message = fc.record({
    type: fc.constantFrom(MESSAGE.command, MESSAGE.sound, MESSAGE.video),
    payload: fc.uint8Array({ maxLength: 1000 }).map(bytes => Buffer.from(bytes)),
    time: fc.oneof(fc.nat(0xfffffe), fc.integer({ min: 0xffffff, max: 2 ** 32 + 1000 })),
    chunkStream: fc.integer({ min: 2, max: 63 }),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 300 }), (messages, size) => {
      const received: RtmpMessage[] = [];
      const read = createMessageReader(found => received.push(found));
      const bytes = Buffer.concat(
        messages.map(({ time, chunkStream, ...each }) =>
          encodeMessage(each, { time, chunkStream, streamId: 1, chunkSize: 128 }),
        ),
      );
      for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
      expect(received).toEqual(messages.map(({ type, payload }) => ({ type, payload })));
    }),
  );
});

test('follows a change of the chunk size', () => {
  const received: RtmpMessage[] = [];
  const read = createMessageReader(found => received.push(found));
  const options = { time: 0, chunkStream: 2, streamId: 0 };
  const payload = Buffer.alloc(5000, 1);
  const size = Buffer.from([0, 0, 16, 0]);
  read(encodeMessage({ type: MESSAGE.set_chunk_size, payload: size }, { ...options, chunkSize: 128 }));
  read(encodeMessage({ type: MESSAGE.video, payload }, { ...options, chunkSize: 4096 }));
  expect(received).toEqual([{ type: MESSAGE.video, payload }]);
});

test('rejects a message that no ingest would send', () => {
  const read = createMessageReader(() => undefined);
  expect(() => read(Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 0, 0, 0, 0]))).toThrow('16777215 bytes');
});

test.each([
  [
    'rtmp://a.rtmp.youtube.com/live2',
    { host: 'a.rtmp.youtube.com', port: 1935, isSecure: false, app: 'live2' },
  ],
  ['rtmps://a.rtmps.youtube.com/live2?backup=1', { port: 443, isSecure: true, app: 'live2?backup=1' }],
  ['rtmp://[::1]:19350/app/instance', { host: '::1', port: 19350, app: 'app/instance' }],
])('parses %s', (url, expected) => {
  expect(parseIngest({ url, key: 'k' })).toMatchObject({ ...expected, tcUrl: url, key: 'k' });
});

test('accepts no other protocol', () => {
  expect(() => parseIngest({ url: 'http://example.com/live2', key: 'k' })).toThrow('rtmp:// or rtmps://');
});
