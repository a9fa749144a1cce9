import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive } from '../../../test/support/drive.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/youtube.ts';
import type { JsonObject } from '../../model/json.ts';
import type { AccountFacts } from '../contract/rules.ts';
import { draftFor } from '../kit/draft.ts';
import { fileLimitsOf } from '../kit/files.ts';
import { uploadLeadMs } from './lead.ts';
import { publisher } from './publish.ts';
import { rules } from './rules.ts';
import { sandbox } from './sandbox/server.ts';
import { tagLength, tagsOf } from './tags.ts';

let host: TestSandbox;
let grant: AnyGrant;
let clip: Buffer;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
  clip = (await sampleFiles())('clip.mp4');
});
afterAll(() => host.close());

/** Publishes a post with these fields and returns the metadata that YouTube received, with the value of `part`. */
async function sent(options: JsonObject, more: object = {}): Promise<JsonObject> {
  host.platform.reset();
  const post = jobOf(host, grant, options, { media_urls: [host.addMedia('clip.mp4', clip)], ...more });
  await drive({ ...publisher, followUps: () => [] }, post, optionsOf(host, grant));
  return host.posts()[0]?.fields['request'] as JsonObject;
}

describe('a field of the post', () => {
  test.each<[string, JsonObject, object]>([
    ['youtube_category_id', { youtube_category_id: '10' }, { snippet: { categoryId: '10' } }],
    [
      'youtube_tags',
      { youtube_tags: ['#a', 'b c', 'd,e', 'a'] },
      { snippet: { tags: ['a', 'b c', 'd', 'e'] } },
    ],
    [
      'youtube_privacy_status',
      { youtube_privacy_status: 'unlisted' },
      { status: { privacyStatus: 'unlisted' } },
    ],
    [
      'youtube_self_declared_made_for_kids',
      { youtube_self_declared_made_for_kids: true },
      { status: { selfDeclaredMadeForKids: true } },
    ],
    [
      'youtube_contains_synthetic_media',
      { youtube_contains_synthetic_media: true },
      { status: { containsSyntheticMedia: true } },
    ],
    [
      'youtube_has_paid_product_placement',
      { youtube_has_paid_product_placement: true },
      {
        paidProductPlacementDetails: { hasPaidProductPlacement: true },
        part: 'snippet,status,paidProductPlacementDetails',
      },
    ],
    ['youtube_license', { youtube_license: 'creativeCommon' }, { status: { license: 'creativeCommon' } }],
    ['youtube_embeddable', { youtube_embeddable: false }, { status: { embeddable: false } }],
    [
      'youtube_public_stats_viewable',
      { youtube_public_stats_viewable: false },
      { status: { publicStatsViewable: false } },
    ],
    [
      'youtube_default_language',
      { youtube_default_language: 'de-CH' },
      { snippet: { defaultLanguage: 'de-CH' } },
    ],
    [
      'youtube_default_audio_language',
      { youtube_default_audio_language: 'en-US' },
      { snippet: { defaultAudioLanguage: 'en-US' } },
    ],
    [
      'youtube_recording_date',
      { youtube_recording_date: '2026-09-01T02:00:00+02:00' },
      {
        recordingDetails: { recordingDate: '2026-09-01T00:00:00Z' },
        part: 'snippet,status,recordingDetails',
      },
    ],
    ['youtube_description', { youtube_description: 'Own words' }, { snippet: { description: 'Own words' } }],
  ])('%s reaches YouTube', async (_, options, expected) => {
    expect(await sent(options)).toMatchObject(expected);
  });

  test('has the default of the interface where it is not sent', async () => {
    expect(await sent({})).toEqual({
      snippet: { title: 'Bread', description: 'How to bake', categoryId: '22' },
      status: {
        privacyStatus: 'public',
        selfDeclaredMadeForKids: false,
        containsSyntheticMedia: false,
        license: 'youtube',
        embeddable: true,
        publicStatsViewable: true,
      },
      part: 'snippet,status',
      notifySubscribers: true,
    });
  });

  test('is sent as YouTube accepts it: title on one line, no control characters', async () => {
    const request = await sent({}, { title: 'One\nline', description: 'line\u0007two' });
    expect(request['snippet']).toMatchObject({ title: 'One line', description: 'linetwo' });
  });
});

describe('tags', () => {
  test('count commas between them and quotation marks around spaces', () => {
    expect(tagLength(['Foo Baz', 'x'])).toBe(11);
    expect(tagLength([])).toBe(0);
  });

  test('are shortened to the limit with auto_truncate', () => {
    const options = { youtube_tags: Array.from({ length: 100 }, (_, index) => `tag number ${index}`) };
    expect(tagLength(tagsOf({ options, auto_truncate: true }))).toBeLessThanOrEqual(500);
  });
});

test.each([
  [null, 30 * 60_000],
  [0, 10 * 60_000],
  [1024 ** 3, 10 * 60_000 + 256_000],
  [256 * 1024 ** 3, 12 * 3_600_000],
])('a video of %s bytes is uploaded %d ms before its time', (bytes, ms) => {
  expect(uploadLeadMs(bytes)).toBe(ms);
});

test.each([
  ['allowed', 43_200],
  ['', 43_200],
  ['eligible', 900],
  ['disallowed', 900],
])('a channel whose long uploads are "%s" takes %d seconds', (long_uploads, seconds) => {
  const account: AccountFacts = { attributes: { long_uploads } };
  const post = {
    post_type: 'video',
    title: 'T',
    description: null,
    media_urls: [],
    first_comment: null,
  } as const;
  const { draft } = draftFor(rules, { ...post, auto_truncate: false, options: {} }, account);
  expect(fileLimitsOf(rules, draft, 'video')?.max_seconds).toBe(seconds);
});
