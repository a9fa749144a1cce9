import { describe, expect, test } from '@jest/globals';
import { PLATFORM_IDS } from '../../model/platform.ts';
import { mediaFieldOf } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { platformPosts } from '../drafts.ts';
import { readPost } from '../input/read.ts';
import { candidateErrors } from './candidate.ts';
import { ignoredFieldWarnings } from './ignored-fields.ts';
import { possibleLimitWarnings } from './possible-limits.ts';

const NOW = Date.parse('2026-12-01T10:00:00Z');
/** IP addresses instead of host names, so that no test needs DNS. */
const IMAGE = 'https://93.184.216.34/a.jpg';
const VIDEO = 'https://93.184.216.34/v.mp4';

async function validate(body: Record<string, unknown>) {
  const whole = { post_type: 'text', profile_name: 'Acme', platforms: ['x'], description: 'Hello', ...body };
  const { candidate, malformed, errors } = await readPost(whole, [], NOW);
  const posts = platformPosts(candidate, []);
  const details = [...malformed, ...errors, ...(await candidateErrors(candidate, posts))];
  return { candidate, posts, details };
}

const fieldsOf = (details: readonly { field: string; platform?: string | null | undefined }[]) =>
  details.map(({ field, platform }) => `${platform ?? '-'} ${field}`);

const errors = async (body: Record<string, unknown>) => fieldsOf((await validate(body)).details);

async function warnings(body: Record<string, unknown>): Promise<string[]> {
  const { candidate, posts, details } = await validate(body);
  expect(details).toEqual([]);
  return fieldsOf(ignoredFieldWarnings(candidate, posts));
}

describe('one response has every error', () => {
  test('of all platforms and of the post itself', async () => {
    const body = {
      post_type: 'image',
      platforms: ['x', 'youtube', 'instagram', 'tiktok', 'threads', 'pinterest', 'gbp', 'myspace', 'bluesky'],
      description: 'a'.repeat(6000),
      media_urls: ['http://127.0.0.1/a.jpg', ...Array.from({ length: 11 }, () => IMAGE)],
      scheduled_date: '2026-11-01T10:00:00Z',
      add_to_queue: true,
      instagram_alt_text: 'a'.repeat(1001),
      instagram_collaborators: 'a,b,c,d',
      tiktok_post_mode: 'LATER',
      pinterest_link: 'nowhere',
      x_reply_settings: 'nobody',
    };
    expect(await errors(body)).toEqual(
      expect.arrayContaining([
        'myspace platforms',
        '- scheduled_date',
        '- media_urls[0]',
        'x x_reply_settings',
        'x media_urls',
        'x description',
        'youtube post_type',
        'instagram instagram_alt_text',
        'instagram media_urls',
        'instagram description',
        'instagram instagram_collaborators',
        'tiktok tiktok_post_mode',
        'tiktok tiktok_privacy_level',
        'tiktok description',
        'threads media_urls',
        'threads description',
        'pinterest pinterest_link',
        'pinterest pinterest_board_id',
        'pinterest media_urls',
        'pinterest description',
        'gbp media_urls',
        'gbp description',
        'bluesky media_urls',
        'bluesky description',
      ]),
    );
  });

  test('also when the type of the post is unknown', async () => {
    const body = {
      platforms: ['x', 'instagram', 'myspace'],
      description: 'a'.repeat(281),
      media_urls: ['http://127.0.0.1/'],
      scheduled_date: 'tomorrow',
      post_type: 'poem',
    };
    expect(await errors(body)).toEqual([
      '- post_type',
      'myspace platforms',
      '- scheduled_date',
      '- media_urls[0]',
    ]);
  });

  test('and reports a text that all platforms require only once', async () => {
    const all = PLATFORM_IDS.filter(platform => RULES[platform].post_types.text);
    expect(await errors({ platforms: all, description: null })).toEqual(['- description']);
    expect(await errors({ platforms: ['x', 'telegram'], description: ' \u200b ' })).toEqual([
      '- description',
    ]);
  });

  test('of a platform that does not support text posts, and none for the others', async () => {
    expect(await errors({ platforms: ['x', 'instagram'] })).toEqual(['instagram post_type']);
  });
});

describe('platforms', () => {
  test('count once, aliases included', async () => {
    const { candidate: post, details } = await validate({
      platforms: ['x', 'gbp', 'x', 'google_business', 'googlebusiness'],
    });
    expect(details).toEqual([]);
    expect(post.platforms).toEqual(['x', 'gbp']);
  });

  test('that are unknown are named in the error', async () => {
    expect(await errors({ platforms: ['x', 'constructor'] })).toEqual(['constructor platforms']);
  });

  test('that are not listed have their fields ignored, valid or not', async () => {
    const foreign = {
      youtube_type: 7,
      tiktok_privacy_level: 'none',
      instagram_media_urls: ['http://127.0.0.1/'],
      x_alt_text: {},
    };
    const { candidate: post, details } = await validate({ platforms: ['bluesky'], ...foreign });
    expect(details).toEqual([]);
    expect(post.options).toEqual({});
  });
});

describe('media', () => {
  const image = { post_type: 'image', platforms: ['instagram', 'facebook'] };

  test('are required, unless every platform has its own', async () => {
    expect(await errors(image)).toEqual(['- media_urls']);
    expect(await errors({ ...image, instagram_media_urls: [IMAGE] })).toEqual(['- media_urls']);
    const own = { instagram_media_urls: [IMAGE], facebook_media_urls: [IMAGE] };
    expect(await errors({ ...image, ...own })).toEqual([]);
  });

  test('have URLs of at most 8192 characters', async () => {
    const urlOf = (length: number) => IMAGE + '?'.padEnd(length - IMAGE.length, 'a');
    expect(await errors({ ...image, media_urls: [urlOf(8192)] })).toEqual([]);
    expect(await errors({ ...image, media_urls: [urlOf(8193)] })).toEqual(['- media_urls[0]']);
  });

  const secret = 'http://169.254.169.254/latest/meta-data/';
  test.each([
    ['media_urls', { ...image, media_urls: [secret] }, '- media_urls[0]'],
    [
      'an override',
      { ...image, media_urls: [IMAGE], instagram_media_urls: [secret] },
      'instagram instagram_media_urls[0]',
    ],
    [
      'a cover',
      { post_type: 'video', platforms: ['instagram'], media_urls: [VIDEO], instagram_cover_url: secret },
      'instagram instagram_cover_url',
    ],
    [
      'a thumbnail',
      { post_type: 'video', platforms: ['youtube'], media_urls: [VIDEO], youtube_thumbnail_url: secret },
      'youtube youtube_thumbnail_url',
    ],
    [
      'captions',
      { post_type: 'video', platforms: ['youtube'], media_urls: [VIDEO], youtube_caption_url: secret },
      'youtube youtube_caption_url',
    ],
  ])('at a private address are refused: %s', async (_, body, expected) => {
    expect(await errors(body)).toEqual([expected]);
  });

  const overrides = Object.values(RULES).flatMap(rules => mediaFieldOf(rules) ?? []);
  test.each(overrides)('at a private address are refused in %s', async field => {
    const platform = field.replace(/_media_urls$/, '');
    const body = {
      post_type: 'video',
      platforms: [platform],
      media_urls: [VIDEO],
      title: 'A title',
      tiktok_privacy_level: 'SELF_ONLY',
      pinterest_board_id: '1',
      [field]: [secret],
    };
    expect(await errors(body)).toEqual([`${platform} ${field}[0]`]);
  });
});

describe('a text post with media', () => {
  test.each([
    [{ media_urls: [IMAGE] }, 'post_type must be image for a post with media_urls: a text post has no media'],
    [{ media_urls: [VIDEO] }, 'post_type must be video for a post with media_urls: a text post has no media'],
    [
      { facebook_media_urls: ['https://93.184.216.34/a'] },
      'post_type must be image, video or document for a post with facebook_media_urls: a text post has no media',
    ],
  ])('is refused with the type that fits: %j', async (media, message) => {
    const { details } = await validate({ platforms: ['facebook', 'x'], ...media });
    expect(details).toEqual([{ field: 'post_type', message, platform: null }]);
  });
});

describe('media_alt_texts', () => {
  const image = { post_type: 'image', media_urls: [IMAGE, IMAGE] };

  test('apply to each image, unless the platform has its own alt text', async () => {
    const { posts } = await validate({
      ...image,
      platforms: ['x', 'bluesky', 'telegram'],
      media_alt_texts: ['A dog', null],
      bluesky_alt_text: 'Animals',
    });
    expect(posts.map(({ draft }) => draft.alt_texts)).toEqual([['A dog', null], ['Animals', 'Animals'], []]);
  });

  test('apply where the platform has no field of its own', async () => {
    const body = { ...image, platforms: ['facebook', 'linkedin'], media_alt_texts: ['A dog', null] };
    const { posts } = await validate(body);
    expect(posts.map(({ draft }) => draft.alt_texts)).toEqual([
      ['A dog', null],
      ['A dog', null],
    ]);
    expect(await errors({ ...body, media_alt_texts: [null, 'a'.repeat(1001)] })).toEqual([
      'facebook media_alt_texts[1]',
    ]);
  });

  test('have the limit of the platform, and are shortened with auto_truncate', async () => {
    const long = { ...image, platforms: ['x', 'pinterest'], pinterest_board_id: '1' };
    const body = { ...long, media_alt_texts: ['a'.repeat(500), 'word '.repeat(120).trim()] };
    expect(await errors(body)).toEqual(['pinterest media_alt_texts[1]']);
    const { posts, details } = await validate({ ...body, auto_truncate: true });
    expect(details).toEqual([]);
    expect(posts[1]!.draft.alt_texts![1]!.length).toBeLessThanOrEqual(500);
  });

  test('cannot be more than the files', async () => {
    expect(await errors({ ...image, media_alt_texts: ['a', 'b', 'c'] })).toEqual(['- media_alt_texts']);
  });

  test('are ignored with a warning for each platform that shows none', async () => {
    const body = {
      ...image,
      media_urls: [IMAGE],
      platforms: ['telegram', 'x', 'gbp'],
      media_alt_texts: ['A dog'],
    };
    expect(await warnings(body)).toEqual(['telegram media_alt_texts', 'gbp media_alt_texts']);
    const video = { ...body, post_type: 'video', media_urls: [VIDEO] };
    expect(await warnings(video)).toEqual(['- media_alt_texts']);
  });
});

describe('timezone', () => {
  const at = async (scheduled_date: string, timezone: string) =>
    new Date((await validate({ scheduled_date, timezone })).candidate.scheduled_at ?? NaN).toISOString();

  test.each([
    ['2027-01-15T09:00:00', 'America/New_York', '2027-01-15T14:00:00.000Z'],
    ['2027-07-15T09:00', 'america/new_york', '2027-07-15T13:00:00.000Z'],
    ['2027-07-15T09:00', ' Europe/Berlin ', '2027-07-15T07:00:00.000Z'],
    ['2027-07-15T09:00:00Z', 'America/New_York', '2027-07-15T09:00:00.000Z'],
    ['2027-07-15T09:00:00+02:00', 'Asia/Tokyo', '2027-07-15T07:00:00.000Z'],
    // 02:30 is skipped on the first date and occurs twice on the second.
    ['2027-03-14T02:30:00', 'America/New_York', '2027-03-14T07:00:00.000Z'],
    ['2027-11-07T01:30:00', 'America/New_York', '2027-11-07T05:30:00.000Z'],
  ])('applies to a scheduled_date without an offset: %s in %s', async (date, timezone, instant) => {
    expect(await at(date, timezone)).toBe(instant);
  });

  test('may have white space around it', async () => {
    const timezone = ' Europe/Berlin ';
    expect(await errors({ scheduled_date: '2027-01-15T09:00:00', timezone })).toEqual([]);
  });

  test.each(['Mars/Olympus', '+02:00', 'EST5'])('must be an IANA name: %s is an error', async timezone => {
    expect(await errors({ scheduled_date: '2027-01-15T09:00:00', timezone })).toEqual(['- timezone']);
  });

  test('is ignored with a warning without a scheduled_date that it applies to', async () => {
    expect(await warnings({ timezone: 'Europe/Berlin' })).toEqual(['- timezone']);
    expect(await warnings({ timezone: 'Europe/Berlin', scheduled_date: '2027-01-15T09:00:00Z' })).toEqual([
      '- timezone',
    ]);
    expect(await warnings({ timezone: 'Europe/Berlin', scheduled_date: '2027-01-15T09:00:00' })).toEqual([]);
  });
});

describe('texts', () => {
  test.each([' \n\t', '\u200b\u2060\ufeff', '\u3164\u2800', ''])(
    'without a visible character count as missing: %j',
    async text => {
      expect(await errors({ description: text })).toContain('- description');
    },
  );

  test('have LF line ends before they are counted', async () => {
    expect(await errors({ platforms: ['bluesky'], description: 'a\r\n'.repeat(150) })).toEqual([]);
  });

  test('are kept unchanged, markup included', async () => {
    const { candidate: post } = await validate({
      platforms: ['x', 'telegram'],
      description: '<p>5 < 6 & 7 > 2</p>',
    });
    expect(post.description).toBe('<p>5 < 6 & 7 > 2</p>');
  });
});

describe('texts are counted as their platform counts', () => {
  const link = `https://example.com/${'b'.repeat(200)}`;
  const bytes498 = `${'a'.repeat(495)}\u2019\u2019\u2019`;
  const image = { post_type: 'image', media_urls: [IMAGE] };
  test.each([
    ['x: a link of 220 characters weighs 23', ['x'], { description: `${'a'.repeat(250)} ${link}` }, []],
    [
      'x: a link of 220 characters does not weigh less',
      ['x'],
      { description: `${'a'.repeat(257)} ${link}` },
      ['x description'],
    ],
    ['x: Han weighs two', ['x'], { description: '字'.repeat(141) }, ['x description']],
    ['x: 140 Han characters fit', ['x'], { description: '字'.repeat(140) }, []],
    ['x: Greek, Cyrillic, Hebrew, Arabic weigh one', ['x'], { description: 'αжאع'.repeat(70) }, []],
    ['x: a decomposed letter weighs one', ['x'], { description: 'e\u0301'.repeat(280) }, []],
    ['bluesky: a decomposed letter counts one', ['bluesky'], { description: 'e\u0301'.repeat(300) }, []],
    ['threads: 498 characters of 504 bytes', ['threads'], { description: bytes498 }, []],
    [
      'telegram: a caption of 1500',
      ['telegram'],
      { ...image, description: 'a'.repeat(1500) },
      ['telegram description'],
    ],
    [
      'telegram: a caption of 1500 with auto_truncate',
      ['telegram'],
      { ...image, description: 'a'.repeat(1500), auto_truncate: true },
      [],
    ],
    ['telegram: a message of 1500', ['telegram'], { description: 'a'.repeat(1500) }, []],
    [
      'linkedin: the text before escaping',
      ['linkedin'],
      { description: `${'('.repeat(50)}${'a'.repeat(2940)}` },
      [],
    ],
  ])('%s', async (_, platforms, body, found) => {
    expect(await errors({ platforms, ...body })).toEqual(found);
  });

  test.each(['line\u0007two', 'line\u0000two', 'line\u009ftwo'])(
    'control characters are removed: %j',
    async text => {
      const { candidate: post, details } = await validate({ description: text });
      expect(details).toEqual([]);
      expect(post.description).toBe('linetwo');
    },
  );

  describe('threads: a text of more than 500 bytes', () => {
    const found = async (body: object) =>
      possibleLimitWarnings((await validate({ platforms: ['threads', 'bluesky'], ...body })).posts);

    test('has a warning', async () => {
      expect(await found({ description: bytes498 })).toEqual([
        {
          code: 'MAY_EXCEED_LIMIT',
          field: 'description',
          message:
            'The text has 504 UTF-8 bytes; Threads has rejected texts with more than 500. Set auto_truncate to true to shorten it if it is rejected',
          platform: 'threads',
        },
      ]);
      expect(await found({ description: 'a'.repeat(500) })).toEqual([]);
    });

    test('has a warning that names the field of its own text', async () => {
      const given = { description: 'Short', threads_description: bytes498 };
      expect(await found(given)).toMatchObject([{ field: 'threads_description' }]);
    });

    test('is cut by weight, not by bytes, with auto_truncate', async () => {
      const [warning] = await found({ description: '字'.repeat(290), auto_truncate: true });
      expect(warning?.message).toBe(
        'The text has 870 UTF-8 bytes; Threads has rejected texts with more than 500; it is shortened to that limit if it is rejected',
      );
    });
  });
});

describe('warnings of ignored fields', () => {
  const video = { post_type: 'video', media_urls: [VIDEO] };
  const image = { post_type: 'image', media_urls: [IMAGE] };

  test('of platforms that are not listed', async () => {
    expect(await warnings({ youtube_license: 'youtube', x_alt_text: null })).toEqual(['- youtube_license']);
  });

  test.each([
    [
      'tiktok',
      image,
      { tiktok_privacy_level: 'public', tiktok_allow_duet: true, tiktok_is_aigc: true },
      ['tiktok_allow_duet', 'tiktok_is_aigc'],
    ],
    [
      'tiktok',
      video,
      { tiktok_privacy_level: 'public', tiktok_auto_add_music: true },
      ['tiktok_auto_add_music'],
    ],
    [
      'tiktok',
      video,
      { tiktok_privacy_level: 'public', tiktok_allow_duet: true, tiktok_disable_duet: true },
      ['tiktok_disable_duet'],
    ],
    [
      'tiktok',
      video,
      { tiktok_privacy_level: 'public', tiktok_post_mode: 'MEDIA_UPLOAD', tiktok_is_aigc: true },
      ['description', 'tiktok_is_aigc'],
    ],
    [
      'instagram',
      image,
      { instagram_media_type: 'REELS', instagram_share_to_feed: false, instagram_cover_url: IMAGE },
      ['instagram_media_type', 'instagram_share_to_feed', 'instagram_cover_url'],
    ],
    [
      'instagram',
      video,
      { instagram_user_tags: 'a', instagram_alt_text: 'b' },
      ['instagram_user_tags', 'instagram_alt_text'],
    ],
    [
      'instagram',
      video,
      { instagram_media_type: 'STORIES', first_comment: 'First' },
      ['description', 'first_comment'],
    ],
    ['facebook', image, { facebook_media_type: 'REELS' }, ['facebook_media_type']],
    ['pinterest', video, { pinterest_board_id: '1', pinterest_alt_text: 'a' }, ['pinterest_alt_text']],
    [
      'snapchat',
      image,
      { snapchat_description: 'a', snapchat_locale: 'en_US', snapchat_saved_story_title: 'b' },
      ['snapchat_description', 'snapchat_locale', 'snapchat_saved_story_title'],
    ],
    ['snapchat', video, { snapchat_post_type: 'spotlight', snapchat_description: 'a' }, []],
    ['gbp', image, { gbp_event_title: 'a', gbp_coupon_code: 'B' }, ['gbp_event_title', 'gbp_coupon_code']],
    ['gbp', image, { gbp_topic_type: 'OFFER', gbp_event_title: 'a', gbp_cta_type: 'CALL' }, ['gbp_cta_type']],
    ['youtube', video, { title: 'T', youtube_caption_language: 'de' }, ['youtube_caption_language']],
    [
      'youtube',
      video,
      { title: 'T', first_comment: 'a', youtube_self_declared_made_for_kids: true },
      ['first_comment'],
    ],
    ['bluesky', { post_type: 'text' }, { bluesky_alt_text: 'a' }, ['bluesky_alt_text']],
    ['x', video, { x_alt_text: 'a', first_comment: 'First' }, ['x_alt_text', 'first_comment']],
    ['linkedin', image, { first_comment: 'See (v2) #x' }, []],
  ])('%s: %j with %j', async (platform, kind, fields, ignored) => {
    expect(await warnings({ ...kind, platforms: [platform], ...fields })).toEqual(
      ignored.map(field => `${platform} ${field}`),
    );
  });

  test('of a title that no platform shows', async () => {
    expect(await warnings({ title: 'T' })).toEqual(['- title']);
    expect(await warnings({ ...video, title: 'T', platforms: ['x', 'youtube'] })).toEqual([]);
  });
});
