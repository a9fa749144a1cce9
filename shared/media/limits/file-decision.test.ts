import { describe, expect, test } from '@jest/globals';
import { FILE_OF_FORMAT, factsOfType, type MediaFacts, type MediaFormat } from '../../model/media.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import type { AccountFacts, Draft } from '../../platforms/contract/rules.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { decideFile, decideFiles, groupProblems } from './file-decision.ts';

const file = (format: MediaFormat, change: Partial<MediaFacts> = {}): MediaFacts => ({
  ...factsOfType(FILE_OF_FORMAT[format].type, format, 1_000_000),
  width: 1000,
  height: 1000,
  ...change,
});
const clip = (change: Partial<MediaFacts> = {}) =>
  file('MP4', { duration: 10, video_tracks: 1, audio_tracks: 1, video_codec: 'avc', ...change });
const movingGif = file('GIF', { animated: true, frames: 2 });
const photo = file('JPG', { animated: false, frames: 1 });
const strip = file('PNG', { animated: false, frames: 1, width: 2100, height: 100 });

const draft = (post_type: PostType, count = 1, account: AccountFacts | null = null): Draft => ({
  post_type,
  title: null,
  description: null,
  media_urls: Array.from({ length: count }, (_, index) => `https://cdn.example.com/${index}`),
  first_comment: null,
  auto_truncate: false,
  options: {},
  account,
});

describe('a video', () => {
  // C017
  test.each<PlatformId>(['x', 'youtube', 'telegram', 'linkedin'])(
    'without a picture is refused on %s; one whose tracks are not known is not',
    platform => {
      const decide = (facts: MediaFacts) => decideFile(RULES[platform], draft('video'), facts).problems;
      const sound = clip({ width: null, height: null, video_codec: null, video_tracks: 0 });
      expect(decide(sound)).toEqual([
        expect.stringContaining(
          `The file has no picture; a video needs one (${RULES[platform].display_name}`,
        ),
      ]);
      expect(decide({ ...sound, video_tracks: null })).toEqual([]);
    },
  );

  // C019
  test.each<[AccountFacts | null, RegExp | null]>([
    [
      { attributes: { subscription_type: 'None' } },
      /^The duration is 150 seconds; at most 140 seconds \(X, account without a subscription\)$/,
    ],
    [{ attributes: { subscription_type: 'Premium' } }, null],
    [null, null],
  ])('of 150 seconds on X for %j: %s', (account, message) => {
    const { problems } = decideFile(RULES.x, draft('video', 1, account), clip({ duration: 150 }));
    expect(problems).toEqual(message ? [expect.stringMatching(message)] : []);
  });

  test('with another codec than H.264 and AAC is refused on X', () => {
    const decide = (change: Partial<MediaFacts>) =>
      decideFile(RULES.x, draft('video'), clip(change)).problems;
    expect(decide({ video_codec: 'hevc' })).toEqual(['The video codec is hevc; must be one of avc (X)']);
    expect(decide({ audio_codec: 'opus' })).toEqual(['The audio codec is opus; must be one of aac (X)']);
    expect(decide({ audio_codec: null, audio_tracks: 0 })).toEqual([]);
  });

  test('larger than X documents is sent with a warning', () => {
    expect(decideFile(RULES.x, draft('video'), clip({ width: 1080, height: 1920 }))).toEqual({
      sent_as: 'unchanged',
      problems: [],
      changes: [],
      doubts: [
        'The longer side is 1920 pixels; at most 1280 pixels. The platform may refuse it (X)',
        'The shorter side is 1080 pixels; at most 1024 pixels. The platform may refuse it (X)',
      ],
    });
  });

  test('longer than Snapchat documents is sent with a warning', () => {
    const { problems, doubts } = decideFile(RULES.snapchat, draft('video'), clip({ duration: 61 }));
    expect([problems, doubts]).toEqual([
      [],
      ['The duration is 61 seconds; at most 60 seconds. The platform may refuse it (Snapchat)'],
    ]);
    expect(decideFile(RULES.snapchat, draft('video'), clip({ duration: 60 })).doubts).toEqual([]);
  });

  test.each([
    [599, 1],
    [600, 0],
  ])('of %i pixels in width has so many warnings on Pinterest: %i', (width, warnings) => {
    const { problems, doubts } = decideFile(RULES.pinterest, draft('image'), {
      ...photo,
      width,
      height: 900,
    });
    expect([problems, doubts.length]).toEqual([[], warnings]);
  });

  test('that is not MP4 is announced as a file on Telegram', () => {
    expect(decideFile(RULES.telegram, draft('video'), file('MOV', { video_tracks: 1 }))).toMatchObject({
      sent_as: 'file',
      changes: ['The MOV will be sent as a file to download (Telegram)'],
    });
  });
});

describe('the images of an album', () => {
  test('are all sent as files on Telegram where one of them is, each with a warning', () => {
    const decisions = decideFiles(RULES.telegram, draft('image', 3), [photo, strip, null]);
    expect(decisions).toEqual([
      {
        sent_as: 'file',
        problems: [],
        changes: [
          'The image will be sent as a file to download, because another one of the post is (Telegram)',
        ],
        doubts: [],
      },
      {
        sent_as: 'file',
        problems: [],
        changes: [
          'The ratio of the longer to the shorter side is 21; at most 20. It will be sent as a file to download (Telegram)',
        ],
        doubts: [],
      },
      null,
    ]);
  });

  test('stand still on Telegram, with a warning', () => {
    const [gif] = decideFiles(RULES.telegram, draft('image', 2), [movingGif, photo]);
    expect(gif?.changes).toEqual(['Only the first frame will be shown (Telegram)']);
    expect(decideFile(RULES.telegram, draft('image'), movingGif).changes).toEqual([]);
  });

  test.each<[PlatformId, MediaFacts, number]>([
    ['x', movingGif, 1],
    ['bluesky', movingGif, 1],
    ['telegram', movingGif, 0],
    // It becomes a still image, which needs not be alone.
    ['x', file('PNG', { animated: true, frames: 2 }), 0],
    ['bluesky', file('WebP', { animated: true, frames: 2 }), 0],
    ['x', file('GIF', { animated: false, frames: 1 }), 0],
  ])('on %s with %o have %i problems together', (platform, facts, count) => {
    expect(groupProblems(RULES[platform], draft('image', 2), [facts, photo])).toHaveLength(count);
  });
});
