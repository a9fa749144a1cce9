import { describe, expect, test } from '@jest/globals';
import { box, CAMERA_MARKS, withCameraData } from '../../../test/support/camera-video.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { inspectBytes } from '../inspect-file.ts';
import { fileFromBytes } from '../probe/file-access.ts';
import { blank, findIsoMetadata } from './iso-metadata.ts';

const CLIP = (await sampleFiles())('clip.mp4');
const strip = async (bytes: Buffer) => blank(bytes, 0, await findIsoMetadata(fileFromBytes(bytes)));

describe.each(['before', 'behind'] as const)(
  'a video with camera metadata and its index %s the pictures',
  index => {
    const filmed = withCameraData(CLIP, index);

    test('loses the metadata and nothing else, and no byte moves', async () => {
      for (const mark of CAMERA_MARKS) expect(filmed.includes(mark)).toBe(true);
      const stripped = await strip(filmed);
      for (const mark of CAMERA_MARKS) expect(stripped.includes(mark)).toBe(false);
      const boxes = await findIsoMetadata(fileFromBytes(filmed));
      expect(boxes).toHaveLength(5);
      let at = 0;
      for (const { start, header, end } of boxes) {
        expect(stripped.subarray(at, start)).toEqual(filmed.subarray(at, start));
        expect(stripped.readUInt32BE(start)).toBe(end - start);
        expect(stripped.toString('latin1', start + 4, start + header)).toBe('free');
        at = end;
      }
      expect(stripped.subarray(at)).toEqual(filmed.subarray(at));
      const facts = {
        duration: 6,
        width: 960,
        height: 540,
        video_codec: 'avc',
        audio_codec: 'aac',
        frame_rate: 24,
      };
      expect(await inspectBytes(stripped)).toMatchObject({ type: 'known', facts });
    });

    test('is the same read in pieces of any size', async () => {
      const boxes = await findIsoMetadata(fileFromBytes(filmed));
      const whole = blank(filmed, 0, boxes);
      for (const size of [1021, 65_536]) {
        const pieces = Array.from({ length: Math.ceil(filmed.length / size) }, (_, index_) =>
          blank(filmed.subarray(index_ * size, (index_ + 1) * size), index_ * size, boxes),
        );
        expect(Buffer.concat(pieces).equals(whole)).toBe(true);
      }
      const [first] = boxes;
      const edge = first!.start + 6;
      expect(blank(filmed.subarray(edge, edge + 4), edge, boxes)).toEqual(whole.subarray(edge, edge + 4));
    });
  },
);

test('a video without camera metadata stays as it is', async () => {
  expect(await strip(CLIP)).toBe(CLIP);
});

test.each([
  [
    'a box that ends behind the file',
    Buffer.concat([box('ftyp', 'mp42'), Buffer.from('7fffffff6d6f6f76', 'hex')]),
  ],
  [
    'a box of an impossible size',
    Buffer.concat([box('ftyp', 'mp42'), Buffer.from('000000036d6f6f76', 'hex')]),
  ],
  [
    'a box of 64 bits that is cut off',
    Buffer.concat([box('ftyp', 'mp42'), Buffer.from('000000016d6f6f76', 'hex')]),
  ],
  ['a child that ends behind its box', box('moov', Buffer.from('7fffffff75647461', 'hex'))],
])('%s is not changed', async (_, bytes) => {
  expect(await strip(bytes)).toBe(bytes);
});

test('boxes of 64 bits and one that reaches to the end of the file are followed', async () => {
  const long = box('mdat', Buffer.alloc(32));
  long.writeUInt32BE(1);
  long.writeBigUInt64BE(BigInt(long.length), 8);
  const last = box('moov', box('udta', 'secret'));
  last.writeUInt32BE(0);
  expect((await strip(Buffer.concat([long, last]))).includes('secret')).toBe(false);
});
