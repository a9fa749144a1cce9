import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DECODER, SMALL } from '../../../test/support/broadcast.ts';
import { clipHost, type ClipHost } from '../../../test/support/clip-host.ts';
import type { Clip } from '../../../test/support/clip.ts';
import type { PlaylistItem } from './open-item.ts';
import { surveyPlaylist } from './survey.ts';

const { width, height, fps } = SMALL;
const CLIP: Clip = {
  width,
  height,
  fps,
  seconds: 2,
  video: 'libx264',
  sound: 'aac',
  color: [81, 90, 240],
  b_frames: 2,
};

const UNLIKE: Readonly<Record<string, [Partial<Clip>, string]>> = {
  'rate.mp4': [{ fps: 30 }, 'Item 2: The rate is not 15 pictures a second'],
  'size.mp4': [{ width: 320 }, 'Item 2: the size is not that of the stream'],
  'codec.mp4': [{ video: 'mpeg4', b_frames: 0 }, 'Item 2: the pictures are not H.264 (avc1)'],
  'container.mkv': [{}, 'Item 2: the file is neither MP4 nor MOV'],
  'open.mp4': [{ x264: 'open-gop=1' }, 'a group of pictures is not closed'],
  'keys.mp4': [{ seconds: 6, x264: 'keyint=300' }, 'Item 2: key frames are more than 4 seconds apart'],
  'configuration.mp4': [{ b_frames: 0 }, 'The items have unlike decoder configurations'],
  'index.mp4': [{ is_fragmented: true }, 'Item 2: the index does not list all pictures'],
};

let host: ClipHost;
beforeAll(async () => {
  host = await clipHost({
    'alike.mp4': CLIP,
    'alike.mov': { ...CLIP, sound: null, color: [145, 54, 34] },
    ...Object.fromEntries(
      Object.entries(UNLIKE).map(([name, [fields]]): [string, Clip] => [name, { ...CLIP, ...fields }]),
    ),
  });
});
afterAll(() => host.close());

const item = (name: string): PlaylistItem => ({
  id: name,
  file_id: name,
  url: () => Promise.resolve(host.url(name)),
});
const survey = (items: PlaylistItem[], signal = new AbortController().signal, format = SMALL) =>
  surveyPlaylist({ items, format, decoder: DECODER, signal });

describe('the survey of a playlist', () => {
  test('finds that pictures can be copied, and asks for each file once', async () => {
    let asked = 0;
    const again = { ...item('alike.mp4'), id: 'again', url: () => Promise.resolve(`${asked++}`) };
    const result = await survey([item('alike.mp4'), item('alike.mov'), again].reverse());
    expect(result).toEqual({
      reason: null,
      copied: { delay: 1, config: expect.any(String), bit_rate: expect.any(Number) },
    });
    expect(asked).toBe(0);
  });

  test.each(Object.entries(UNLIKE))('finds a reason to encode: %s', async (name, [, reason]) => {
    const { copied, reason: found } = await survey([item('alike.mp4'), item(name)]);
    expect(copied).toBeNull();
    expect(found).toContain(reason);
  });

  test('finds one for a bit rate that is too high', async () => {
    const low = { ...SMALL, bit_rate: 1000 } as unknown as typeof SMALL;
    expect((await survey([item('alike.mp4')], undefined, low)).reason).toContain('bit rate');
  });

  test('finds one for a file that is missing, and for an address that cannot be made', async () => {
    expect((await survey([item('missing.mp4')])).reason).toBe('Item 1: The host answered 404');
    const deleted = { ...item('deleted'), url: () => Promise.reject(new Error('The asset was deleted')) };
    expect((await survey([deleted])).reason).toBe('Item 1: The asset was deleted');
  });

  test('ends with its signal, whatever its files do', async () => {
    const stopping = new AbortController();
    const result = survey([item('silence'), item('alike.mp4')], stopping.signal);
    setTimeout(() => stopping.abort(), 500);
    expect(await result).toEqual({ copied: null, reason: 'The survey did not end in time' });
    expect(await survey([item('alike.mp4')], stopping.signal)).toMatchObject({ copied: null });
  });
});
