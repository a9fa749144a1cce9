import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../model/json.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import { commentFor, draftFor, titleFor, type PostContent } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { errorsOn } from '../../../test/support/candidates.ts';

const IMAGE = 'https://cdn.example.com/a.jpg';
const VIDEO = 'https://cdn.example.com/v.mp4';

/** Required options of each platform. */
const REQUIRED_OPTIONS: Partial<Record<PlatformId, JsonObject>> = {
  tiktok: { tiktok_privacy_level: 'PUBLIC_TO_EVERYONE' },
  pinterest: { pinterest_board_id: '549755885175' },
};

function post(platform: PlatformId, type: PostType, change: Partial<PostContent> = {}): PostContent {
  return {
    post_type: type,
    title: platform === 'youtube' ? 'A title' : null,
    description: 'Hello',
    media_urls: type === 'text' ? [] : [type === 'image' ? IMAGE : VIDEO],
    first_comment: null,
    auto_truncate: false,
    ...change,
    options: { ...REQUIRED_OPTIONS[platform], ...change.options },
  };
}

/** `field: message` of every error. */
function messages(platform: PlatformId, type: PostType, change: Partial<PostContent> = {}): string[] {
  return errorsOn(platform, post(platform, type, change)).map(({ field, message }) => `${field}: ${message}`);
}

const fields = (platform: PlatformId, type: PostType, change: Partial<PostContent> = {}) =>
  errorsOn(platform, post(platform, type, change)).map(({ field }) => field);

const options = (platform: PlatformId, type: PostType, given: JsonObject) =>
  fields(platform, type, { options: given });

describe('every platform', () => {
  const cases = Object.values(RULES).flatMap(({ platform, post_types }) =>
    (['text', 'image', 'video', 'document'] as const).map(
      type => [platform, type, Object.hasOwn(post_types, type)] as const,
    ),
  );

  test.each(cases)('%s accepts %s posts: %s', (platform, type, accepted) => {
    const found = messages(platform, type);
    if (accepted) expect(found).toEqual([]);
    else expect(found).toEqual([`post_type: ${RULES[platform].display_name} does not support ${type} posts`]);
  });

  test('is named in each of its errors', () => {
    const found = errorsOn('tiktok', post('tiktok', 'image', { options: { tiktok_privacy_level: 'all' } }));
    expect(found).toEqual([
      {
        field: 'tiktok_privacy_level',
        message:
          'tiktok_privacy_level must be one of PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR, SELF_ONLY, public, friends, private',
        platform: 'tiktok',
      },
    ]);
  });

  test.each([
    ['x', 5],
    ['instagram', 11],
    ['facebook', 11],
    ['linkedin', 10],
    ['tiktok', 36],
    ['threads', 11],
    ['pinterest', 6],
    ['gbp', 2],
    ['bluesky', 5],
    ['snapchat', 2],
    ['telegram', 11],
  ] as const)('%s refuses %s images without auto_truncate', (platform, count) => {
    const media_urls = Array.from({ length: count }, (_, index) => `${IMAGE}?${index}`);
    expect(fields(platform, 'image', { media_urls })).toEqual(['media_urls']);
    expect(fields(platform, 'image', { media_urls, auto_truncate: true })).toEqual([]);
    const { draft } = draftFor(RULES[platform], post(platform, 'image', { media_urls, auto_truncate: true }));
    expect(draft.media_urls).toEqual(media_urls.slice(0, count - 1));
    expect(fields(platform, 'image', { media_urls: media_urls.slice(1) })).toEqual([]);
  });

  test.each(['youtube', 'instagram', 'pinterest', 'linkedin', 'telegram'] as const)(
    '%s accepts exactly one video',
    platform => {
      const media_urls = ['https://cdn.example.com/c.jpg', VIDEO];
      expect(messages(platform, 'video', { media_urls })).toEqual([
        `media_urls: ${RULES[platform].display_name} accepts at most 1 file in a post of type video; media_urls has 2. Set auto_truncate to true to leave out the rest`,
      ]);
    },
  );
});

describe('the error of a text that is too long', () => {
  const kinds = Object.values(RULES).flatMap(({ platform, post_types }) =>
    (Object.keys(post_types) as PostType[]).map(type => [platform, type] as const),
  );

  test.each(kinds)('suggests auto_truncate on %s in a post of type %s', (platform, type) => {
    const change = { description: 'word '.repeat(20_000) };
    const found = messages(platform, type, change);
    expect(found).toEqual([
      expect.stringMatching(/^description: .* Set auto_truncate to true to shorten it$/),
    ]);
    expect(messages(platform, type, { ...change, auto_truncate: true })).toEqual([]);
  });

  const named = Object.values(RULES).flatMap(({ platform, text_fields }) =>
    Object.keys(text_fields).map(field => [field, platform] as const),
  );
  test.each(named)('suggests auto_truncate for %s', (field, platform) => {
    const change = { options: { [field]: 'word '.repeat(1000) } };
    const found = messages(platform, 'image', change).filter(each => each.startsWith(field));
    expect(found).toEqual([expect.stringMatching(/ Set auto_truncate to true to shorten it$/)]);
    expect(fields(platform, 'image', { ...change, auto_truncate: true })).not.toContain(field);
  });

  test('says that a text which is one long link cannot be shortened', () => {
    const link = `https://example.com/${'a'.repeat(70_000)}`;
    const all = { description: link, title: link, first_comment: link, auto_truncate: true };
    const found = (platform: PlatformId, type: PostType) => fields(platform, type, all);
    expect(found('bluesky', 'text')).toEqual(['description']);
    expect(found('telegram', 'image')).toEqual(['description']);
    expect(found('instagram', 'image')).toEqual(['description', 'first_comment']);
    expect(found('youtube', 'video')).toEqual(['description', 'title']);
    expect(messages('linkedin', 'document', all)).toEqual(
      ['description', 'title', 'first_comment'].map(
        field =>
          `${field}: ${field} cannot be shortened for LinkedIn: it begins with a link or word that is longer than the limit`,
      ),
    );
    // A word before the link is enough, and the ellipsis is a text.
    for (const description of [`See ${link}`, '…'])
      expect(fields('bluesky', 'text', { description, auto_truncate: true })).toEqual([]);
  });

  test('does not suggest auto_truncate for fields that it does not shorten', () => {
    const youtube_tags = Array.from({ length: 100 }, (_, index) => `tag number ${index}`);
    const found = [
      ...messages('youtube', 'video', { options: { youtube_tags } }),
      ...messages('threads', 'text', { options: { threads_topic_tag: 'a'.repeat(51) } }),
      ...messages('x', 'image', { options: { x_alt_text: 5 } }),
    ];
    expect(found).toHaveLength(3);
    expect(found.join()).not.toContain('auto_truncate');
  });
});

describe("a platform's own media", () => {
  test('replace the common media on that platform only', () => {
    const given = post('instagram', 'image', {
      options: { instagram_media_urls: ['https://cdn.example.com/i.jpg'] },
    });
    expect(draftFor(RULES.instagram, given).draft.media_urls).toEqual(['https://cdn.example.com/i.jpg']);
    expect(draftFor(RULES.x, given).draft.media_urls).toEqual([IMAGE]);
  });

  test('are counted instead of the common media, and errors name their field', () => {
    const many = Array.from({ length: 11 }, () => IMAGE);
    expect(fields('instagram', 'image', { options: { instagram_media_urls: many } })).toEqual([
      'instagram_media_urls',
    ]);
    expect(
      fields('instagram', 'image', { media_urls: many, options: { instagram_media_urls: [IMAGE] } }),
    ).toEqual([]);
  });

  test.each([
    [[], 'instagram_media_urls'],
    ['https://cdn.example.com/i.jpg', 'instagram_media_urls'],
    [[7], 'instagram_media_urls[0]'],
  ])('must be a list of URLs, unlike %j', (value, field) => {
    expect(options('instagram', 'image', { instagram_media_urls: value })).toEqual([field]);
  });

  test('exist on the platforms of the interface specification', () => {
    const having = Object.values(RULES)
      .filter(rules => Object.hasOwn(rules.options, `${rules.platform}_media_urls`))
      .map(({ platform }) => platform);
    expect(having.sort()).toEqual(
      ['facebook', 'gbp', 'instagram', 'pinterest', 'snapchat', 'tiktok', 'youtube'].sort(),
    );
  });
});

describe('options and their defaults', () => {
  test.each([
    ['x', {}],
    [
      'youtube',
      {
        youtube_type: 'video',
        youtube_category_id: '22',
        youtube_tags: [],
        youtube_privacy_status: 'public',
        youtube_self_declared_made_for_kids: false,
        youtube_contains_synthetic_media: false,
        youtube_has_paid_product_placement: false,
        youtube_license: 'youtube',
        youtube_embeddable: true,
        youtube_public_stats_viewable: true,
        youtube_caption_language: 'en',
      },
    ],
    ['instagram', { instagram_media_type: 'REELS', instagram_share_to_feed: true }],
    ['facebook', { facebook_media_type: 'VIDEO' }],
    ['linkedin', { linkedin_visibility: 'PUBLIC', linkedin_disable_reshare: false }],
    [
      'tiktok',
      {
        tiktok_privacy_level: 'PUBLIC_TO_EVERYONE',
        tiktok_allow_comment: false,
        tiktok_allow_duet: false,
        tiktok_allow_stitch: false,
        tiktok_brand_content_toggle: false,
        tiktok_brand_organic_toggle: false,
        tiktok_is_aigc: false,
        tiktok_auto_add_music: false,
        tiktok_post_mode: 'DIRECT_POST',
      },
    ],
    ['threads', {}],
    ['pinterest', { pinterest_board_id: '549755885175' }],
    ['bluesky', {}],
    ['snapchat', { snapchat_post_type: 'story', snapchat_skip_save_to_profile: false }],
    ['gbp', { gbp_topic_type: 'STANDARD' }],
    ['telegram', {}],
  ] as const)('%s', (platform, defaults) => {
    const type = platform === 'bluesky' ? 'image' : 'video';
    expect(draftFor(RULES[platform], post(platform, type)).draft.options).toEqual(defaults);
  });

  /** Values that are taken, and values that are not, of every field that does not take any text. */
  const FIELDS = [
    ['x_reply_settings', ['following', 'mentionedUsers'], ['everyone', '', 1]],
    ['youtube_type', ['video', 'shorts'], ['Shorts', true]],
    ['youtube_category_id', ['1', '10', '20', '22', '27', '28'], ['24', 22]],
    ['youtube_tags', [['a', 'b c']], ['a', [1]]],
    ['youtube_privacy_status', ['public', 'unlisted', 'private'], ['secret']],
    [
      'youtube_thumbnail_url',
      ['https://example.com/t.jpg'],
      ['t.jpg', 'javascript:alert(1)', 'ftp://example.com/t'],
    ],
    ['youtube_self_declared_made_for_kids', [true, false], ['true', 1]],
    ['youtube_contains_synthetic_media', [true, false], ['yes']],
    ['youtube_has_paid_product_placement', [true, false], ['yes']],
    ['youtube_license', ['youtube', 'creativeCommon'], ['cc']],
    ['youtube_embeddable', [true, false], [0]],
    ['youtube_public_stats_viewable', [true, false], [0]],
    ['youtube_default_language', ['en', 'de-CH', 'zh-Hant-TW'], ['english language', 'e', '']],
    ['youtube_default_audio_language', ['en-US'], ['en_US!']],
    ['youtube_allowed_countries', [['DE', 'at']], [['GER'], 'DE', ['1A']]],
    ['youtube_blocked_countries', [['DE']], [['GER']]],
    [
      'youtube_recording_date',
      ['2026-09-01T10:00:00Z', '2026-09-01T10:00:00+02:00'],
      ['yesterday', '2026-02-30T10:00:00Z'],
    ],
    ['youtube_caption_url', ['https://example.com/c.srt'], ['c.srt']],
    ['youtube_caption_language', ['fr'], ['???']],
    ['youtube_playlist_id', ['PL123'], ['', ' ', 7]],
    [
      'tiktok_privacy_level',
      [
        'PUBLIC_TO_EVERYONE',
        'MUTUAL_FOLLOW_FRIENDS',
        'FOLLOWER_OF_CREATOR',
        'SELF_ONLY',
        'public',
        'friends',
        'private',
      ],
      ['PUBLIC', '', null],
    ],
    ['tiktok_allow_comment', [true, false], ['true']],
    ['tiktok_allow_duet', [true, false], ['true']],
    ['tiktok_allow_stitch', [true, false], ['true']],
    ['tiktok_brand_content_toggle', [true, false], ['true']],
    ['tiktok_brand_organic_toggle', [true, false], ['true']],
    ['tiktok_is_aigc', [true, false], ['true']],
    ['tiktok_auto_add_music', [true, false], ['true']],
    ['tiktok_post_mode', ['DIRECT_POST', 'MEDIA_UPLOAD'], ['INBOX']],
    ['tiktok_disable_comment', [true, false], ['true']],
    ['tiktok_disable_duet', [true, false], ['true']],
    ['tiktok_disable_stitch', [true, false], ['true']],
    ['instagram_media_type', ['REELS', 'STORIES'], ['FEED']],
    ['instagram_share_to_feed', [true, false], ['true']],
    ['instagram_collaborators', ['a', '@a.b, c_d,e'], ['a,b,c,d', 'not a name', '', 5]],
    ['instagram_cover_url', ['https://example.com/c.jpg'], ['c.jpg']],
    ['instagram_user_tags', ['a,b'], ['a b', Array.from({ length: 21 }, (_, i) => `u${i}`).join(',')]],
    ['instagram_location_id', ['1234'], ['']],
    ['instagram_thumb_offset', [0, 1500], [-1, 1.5, '1500']],
    ['facebook_media_type', ['VIDEO', 'REELS'], ['STORY']],
    ['facebook_page_id', ['104921', 'p1'], ['', 5]],
    ['pinterest_board_id', ['549755885175'], ['my board', '', null]],
    ['pinterest_board_section_id', ['5497558851751'], ['my section', '', null]],
    ['pinterest_link', ['https://example.com/x'], ['example', `https://example.com/${'a'.repeat(8192)}`]],
    ['threads_topic_tag', ['a', '#news', 'a'.repeat(50), '時事'], ['', 'a'.repeat(51), 'v1.0', 'R&D']],
    ['threads_reply_control', ['accounts_you_follow', 'everyone'], ['parent_post_author_only', '', 1]],
    [
      'linkedin_page_id',
      ['2414183', 'urn:li:organization:2414183', 'urn:li:organizationBrand:7'],
      ['acme', 'urn:li:person:7'],
    ],
    ['linkedin_visibility', ['PUBLIC', 'CONNECTIONS'], ['LOGGED_IN']],
    ['linkedin_disable_reshare', [true, false], ['true']],
    ['gbp_location_id', ['locations/1'], ['']],
    ['gbp_topic_type', ['STANDARD'], ['ALERT']],
    ['gbp_cta_type', ['CALL'], ['GET_OFFER']],
    // Taken beside a button only.
    ['gbp_cta_url', [], ['x', 'mailto:a@example.com']],
    ['gbp_event_title', ['Fair', 'a'.repeat(58)], ['a'.repeat(59)]],
    [
      'gbp_event_start_date',
      ['2026-12-01', '2026-12-01T10:00:00+09:00'],
      ['2026-13-01', '1.12.2026', '2026-02-30'],
    ],
    ['gbp_event_end_date', ['2026-12-01'], ['soon']],
    ['gbp_event_start_time', ['00:00', '23:59'], ['24:00', '9:30', '09:60']],
    ['gbp_event_end_time', ['09:30'], ['9']],
    ['gbp_coupon_code', ['A'.repeat(58)], ['A'.repeat(59)]],
    ['gbp_terms', ['a'.repeat(5000)], ['a'.repeat(5001)]],
    ['gbp_redeem_url', ['https://example.com/x'], ['x']],
    ['snapchat_post_type', ['story', 'spotlight'], ['snap']],
    ['snapchat_saved_story_title', ['a'.repeat(45)], ['a'.repeat(46)]],
    ['snapchat_locale', ['en_US', 'en-US', 'de'], ['english', 'xx_1', '']],
    ['snapchat_skip_save_to_profile', [true, false], ['true']],
  ] as const;

  test.each(FIELDS)('%s', (name, taken, refused) => {
    const platform = Object.values(RULES).find(rules => Object.hasOwn(rules.options, name))!.platform;
    for (const value of taken) {
      expect([value, options(platform, 'video', { [name]: value as never })]).toEqual([value, []]);
    }
    for (const value of refused) {
      const [first = ''] = options(platform, 'video', { [name]: value as never });
      expect([value, first.replace(/\[\d\]$/, '')]).toEqual([value, name]);
    }
  });

  test('the table above has every field except media, descriptions, alt texts and languages, which have tests of their own', () => {
    const all = Object.values(RULES).flatMap(rules => Object.keys(rules.options));
    const elsewhere = /_(?:alt_text|media_urls|description|langs)$/;
    expect(all.filter(name => !elsewhere.test(name)).sort()).toEqual(FIELDS.map(([name]) => name).sort());
  });
});

test.each([
  [['en'], []],
  [['en', 'de-CH', 'zh-Hant-TW'], []],
  [[], []],
  [['en', 'de', 'fr', 'it'], ['bluesky_langs']],
  ['en', ['bluesky_langs']],
  [['english language'], ['bluesky_langs[0]']],
  [[1], ['bluesky_langs[0]']],
])('bluesky_langs: up to three language tags, such as %j', (bluesky_langs, errors) => {
  const found = options('bluesky', 'text', { bluesky_langs }).filter(field => field.startsWith('bluesky'));
  expect([...new Set(found)].slice(0, 1)).toEqual(errors);
});

describe('a description for one platform', () => {
  const types = Object.values(RULES).map(
    ({ platform, post_types }) => [platform, Object.keys(post_types)[0] as PostType] as const,
  );

  test.each(types)('replaces the common one on %s (%s post)', (platform, type) => {
    const own = { options: { [`${platform}_description`]: 'Only here' } };
    const { draft } = draftFor(RULES[platform], post(platform, type, { description: 'Common', ...own }));
    expect([draft.description, RULES[platform].shape(draft)]).toEqual(['Only here', 'Only here']);
    expect(fields(platform, type, { description: null, ...own })).toEqual([]);
  });

  test.each(types)('has the limits of the text on %s, in an error of its own field', (platform, type) => {
    const field = `${platform}_description`;
    const long = { description: 'Short', options: { [field]: 'word '.repeat(20_000) } };
    expect(fields(platform, type, long)).toEqual([field]);
    expect(fields(platform, type, { ...long, auto_truncate: true })).toEqual([]);
  });
});

describe('texts in fields of a platform', () => {
  test.each<[PlatformId, PostType, JsonObject, JsonObject]>([
    ['x', 'image', { x_alt_text: 'a\u0007b\r\nc' }, { x_alt_text: 'ab\nc' }],
    ['youtube', 'video', { youtube_tags: ['a\u0000b'] }, { youtube_tags: ['ab'] }],
    ['gbp', 'text', { gbp_terms: ' a\u009fb\t ' }, { gbp_terms: ' ab\t ' }],
    ['snapchat', 'video', { snapchat_description: '\ud800' }, { snapchat_description: '\ufffd' }],
  ])(
    'of %s are sent without control characters and lone surrogates: %s, %j',
    (platform, type, given, sent) => {
      const { draft, violations } = draftFor(RULES[platform], post(platform, type, { options: given }));
      expect(violations).toEqual([]);
      expect(draft.options).toMatchObject(sent);
    },
  );

  test('are counted without control characters, which ids must not contain', () => {
    expect(options('x', 'image', { x_alt_text: `${'a'.repeat(1000)}\u0007` })).toEqual([]);
    expect(options('youtube', 'video', { youtube_playlist_id: '\u0007' })).toEqual(['youtube_playlist_id']);
  });
});

describe('youtube', () => {
  const video = (change: Partial<PostContent>) => messages('youtube', 'video', change);

  test('uses the first line of the description as the title, cut at 100', () => {
    const title = (description: string) =>
      titleFor(
        RULES.youtube,
        draftFor(RULES.youtube, post('youtube', 'video', { title: null, description })).draft,
      );
    expect(title('\n\n First line \nsecond')).toBe('First line');
    expect(title(`${'word '.repeat(30)}\nmore`)).toMatch(/^(?:word ){15,19}word…$/);
    expect(title(`https://example.com/${'a'.repeat(200)}`)).toBe(`https://example.com/${'a'.repeat(79)}…`);
    expect(video({ title: null, description: 'First line' })).toEqual([]);
    expect(fields('youtube', 'video', { title: null, description: null })).toEqual(['title']);
  });

  test('refuses a title of 101 UTF-16 units, or cuts it between graphemes', () => {
    const title = '👍🏽'.repeat(25) + 'a';
    expect(title.length).toBe(101);
    expect(video({ title })).toEqual([
      'title: YouTube accepts at most 100 UTF-16 units; the title has 101. Set auto_truncate to true to shorten it',
    ]);
    expect(video({ title, auto_truncate: true })).toEqual([]);
    const given = post('youtube', 'video', { title, auto_truncate: true });
    expect(titleFor(RULES.youtube, draftFor(RULES.youtube, given).draft)).toBe(`${'👍🏽'.repeat(24)}…`);
  });

  test('refuses < and > in title, description and tags, also with auto_truncate', () => {
    for (const auto_truncate of [false, true]) {
      const all = { title: 'a<b', description: 'a > b', auto_truncate, options: { youtube_tags: ['<b>'] } };
      expect(fields('youtube', 'video', all)).toEqual(['title', 'description', 'youtube_tags']);
    }
  });

  test('counts a description in characters and in bytes', () => {
    expect(video({ description: 'é'.repeat(2500) })).toEqual([]);
    expect(video({ description: 'é'.repeat(2501) })).toEqual([
      'description: YouTube accepts at most 5000 UTF-8 bytes; the text has 5002. Set auto_truncate to true to shorten it',
    ]);
    expect(video({ description: 'a'.repeat(5001) })).toEqual([
      'description: YouTube accepts at most 5000 characters; the text has 5001. Set auto_truncate to true to shorten it',
    ]);
  });

  test('removes control characters', () => {
    const { draft } = draftFor(
      RULES.youtube,
      post('youtube', 'video', { description: 'line\u0007two\u0000' }),
    );
    expect(RULES.youtube.shape(draft)).toBe('linetwo');
    expect(fields('youtube', 'video', { title: null, description: '\u0000' })).toEqual(['title']);
  });

  test('refuses a thumbnail of a Short, by its youtube_type or by #shorts in its title', () => {
    const youtube_thumbnail_url = 'https://example.com/t.jpg';
    expect(options('youtube', 'video', { youtube_thumbnail_url })).toEqual([]);
    expect(options('youtube', 'video', { youtube_thumbnail_url, youtube_type: 'shorts' })).toEqual([
      'youtube_thumbnail_url',
    ]);
    const titled = (title: string) =>
      fields('youtube', 'video', { title, options: { youtube_thumbnail_url } });
    expect(titled('Look #Shorts')).toEqual(['youtube_thumbnail_url']);
    expect(titled('Look #shortsighted')).toEqual([]);
    const described = { title: null, description: 'Look #shorts\nMore', options: { youtube_thumbnail_url } };
    expect(fields('youtube', 'video', described)).toEqual(['youtube_thumbnail_url']);
  });

  test('counts 500 characters of tags, with separators and quotation marks', () => {
    const tags = (youtube_tags: string[]) => video({ options: { youtube_tags } });
    expect(tags(['a'.repeat(500)])).toEqual([]);
    expect(tags(['a'.repeat(501)])).toHaveLength(1);
    expect(tags(['a'.repeat(250), 'b'.repeat(249)])).toEqual([]);
    expect(tags(['a'.repeat(250), 'b'.repeat(250)])).toEqual([
      'youtube_tags: youtube_tags must have at most 500 characters including separators; these tags have 501',
    ]);
    expect(tags([`${'a'.repeat(248)} b`, 'b'.repeat(248)])).toHaveLength(1);
    expect(tags(['a'.repeat(300), `#${'a'.repeat(300)}`, ''])).toEqual([]);
  });

  test('accepts allowed or blocked countries, not both', () => {
    const both = { youtube_allowed_countries: ['DE'], youtube_blocked_countries: ['FR'] };
    expect(options('youtube', 'video', both)).toEqual(['youtube_blocked_countries']);
    expect(options('youtube', 'video', { ...both, youtube_allowed_countries: [] })).toEqual([]);
  });
});

describe('tiktok', () => {
  test('requires a privacy level', () => {
    expect(messages('tiktok', 'video', { options: { tiktok_privacy_level: undefined as never } })).toEqual([
      'tiktok_privacy_level: tiktok_privacy_level is required for TikTok',
    ]);
  });

  test.each(['SELF_ONLY', 'private'])('refuses a paid partnership that is %s', tiktok_privacy_level => {
    const paid = { tiktok_privacy_level, tiktok_brand_content_toggle: true };
    expect(options('tiktok', 'video', paid)).toEqual(['tiktok_brand_content_toggle']);
    expect(options('tiktok', 'video', { ...paid, tiktok_brand_content_toggle: false })).toEqual([]);
    expect(options('tiktok', 'video', { tiktok_privacy_level, tiktok_brand_organic_toggle: true })).toEqual(
      [],
    );
  });

  test('never uses the description as the title', () => {
    for (const title of [null, '']) {
      const given = post('tiktok', 'image', { title, description: 'long text' });
      const { draft } = draftFor(RULES.tiktok, given);
      expect(titleFor(RULES.tiktok, draft)).toBeNull();
      expect(RULES.tiktok.shape(draft)).toBe('long text');
    }
  });

  test('publishes directly by default', () => {
    for (const type of ['image', 'video'] as const) {
      expect(draftFor(RULES.tiktok, post('tiktok', type)).draft.options).toMatchObject({
        tiktok_post_mode: 'DIRECT_POST',
      });
    }
  });
});

describe('instagram', () => {
  test('accepts at most 30 hashtags and 20 mentions', () => {
    const tags = (count: number) => Array.from({ length: count }, (_, index) => `#tag${index}`).join(' ');
    const names = (count: number) => Array.from({ length: count }, (_, index) => `@name${index}`).join(' ');
    expect(messages('instagram', 'image', { description: `${tags(30)} ${names(20)} #1 a@b.c` })).toEqual([]);
    expect(messages('instagram', 'image', { description: `${tags(31)} ${names(21)}` })).toEqual([
      'description: Instagram accepts at most 30 hashtags; this text has 31',
      'description: Instagram accepts at most 20 mentions; this text has 21',
    ]);
  });

  test('doubts a text with more than 5 hashtags', () => {
    expect(RULES.instagram.doubts!('#a #b #c #d #e #1')).toEqual([]);
    expect(RULES.instagram.doubts!('#a #b #c #d #e #f')).toEqual([
      'Instagram has announced a limit of 5 hashtags, and this text has 6: it may refuse the post. Use at most 5',
    ]);
  });

  test('accepts a first comment of at most 2196 characters', () => {
    expect(messages('instagram', 'image', { first_comment: 'a'.repeat(2196) })).toEqual([]);
    expect(messages('instagram', 'image', { first_comment: 'a'.repeat(2197) })).toEqual([
      'first_comment: Instagram accepts at most 2196 characters; the comment has 2197. Set auto_truncate to true to shorten it',
    ]);
    expect(messages('instagram', 'image', { first_comment: 'a'.repeat(2197), auto_truncate: true })).toEqual(
      [],
    );
  });
});

describe('threads', () => {
  test.each([
    ['Latin letters', 'a', 500],
    ['curly quotes', '\u2019', 500],
    ['Cyrillic letters', 'ж', 500],
    ['Japanese characters', '字', 500],
    ['Korean syllables', '한', 500],
    ['decomposed letters, two code points each', 'e\u0301', 250],
    ['digits', '7', 500],
    ['an emoji of 4 bytes', '😀', 125],
    ['an emoji of 6 bytes with a selector', '☕\ufe0f', 83],
    ['a flag of 8 bytes', '🇨🇭', 62],
    ['a keycap of 7 bytes', '1\ufe0f\u20e3', 71],
    ['a skin tone of 8 bytes', '👍🏽', 62],
    ['a family of 25 bytes', '👨‍👩‍👧‍👦', 20],
  ])('accepts %s up to a weight of 500', (_, part, count) => {
    expect(messages('threads', 'text', { description: part.repeat(count) })).toEqual([]);
    expect(messages('threads', 'text', { description: part.repeat(count + 1) })).toEqual([
      expect.stringMatching(
        /^description: Threads accepts at most 500 characters \(an emoji counts as its UTF-8 bytes\); the text has 5\d\d\. Set auto_truncate/,
      ),
    ]);
  });

  test('accepts at most five different links', () => {
    const links = (count: number) => Array.from({ length: count }, (_, i) => `https://e.com/${i}`).join(' ');
    expect(messages('threads', 'text', { description: `${links(5)} https://e.com/0` })).toEqual([]);
    expect(fields('threads', 'text', { description: links(6) })).toEqual(['description']);
  });
});

describe('linkedin', () => {
  test('refuses a restricted visibility for an organization', () => {
    const given = { linkedin_page_id: '1', linkedin_visibility: 'CONNECTIONS' };
    expect(options('linkedin', 'text', given)).toEqual(['linkedin_visibility']);
  });

  test('counts the text before escaping', () => {
    const description = 'a'.repeat(2940) + '('.repeat(50);
    expect(messages('linkedin', 'text', { description })).toEqual([]);
  });

  test('sends a comment without escaping', () => {
    const { draft } = draftFor(RULES.linkedin, post('linkedin', 'text', { first_comment: 'See (v2) #x' }));
    expect(commentFor(RULES.linkedin, draft)).toBe('See (v2) #x');
  });

  test('accepts a comment of at most 1250 characters and a title of at most 400', () => {
    const long = { first_comment: 'a'.repeat(1251), title: 'a'.repeat(401) };
    expect(fields('linkedin', 'document', long)).toEqual(['title', 'first_comment']);
    expect(
      fields('linkedin', 'document', { first_comment: 'a'.repeat(1250), title: 'a'.repeat(400) }),
    ).toEqual([]);
  });
});

describe('pinterest', () => {
  test('requires a board', () => {
    expect(messages('pinterest', 'image', { options: { pinterest_board_id: undefined as never } })).toEqual([
      'pinterest_board_id: pinterest_board_id is required for Pinterest',
    ]);
  });

  test('counts code points, not UTF-16 units', () => {
    expect(
      messages('pinterest', 'image', { description: '😀'.repeat(500), title: '😀'.repeat(100) }),
    ).toEqual([]);
    expect(fields('pinterest', 'image', { options: { pinterest_alt_text: '😀'.repeat(500) } })).toEqual([]);
    expect(fields('pinterest', 'image', { options: { pinterest_alt_text: '😀'.repeat(501) } })).toEqual([
      'pinterest_alt_text',
    ]);
  });
});

describe('snapchat', () => {
  test('requires the title of a saved story', () => {
    const saved = { snapchat_post_type: 'saved_story' };
    expect(messages('snapchat', 'image', { options: saved })).toEqual([
      'snapchat_saved_story_title: snapchat_saved_story_title is required with snapchat_post_type saved_story',
    ]);
    expect(options('snapchat', 'image', { ...saved, snapchat_saved_story_title: 'Behind' })).toEqual([]);
  });

  test('accepts only videos on Spotlight', () => {
    expect(options('snapchat', 'image', { snapchat_post_type: 'spotlight' })).toEqual(['snapchat_post_type']);
    expect(options('snapchat', 'video', { snapchat_post_type: 'spotlight' })).toEqual([]);
  });

  test('uses its own description instead of the common one, which may then be longer', () => {
    const description = 'a'.repeat(161);
    expect(fields('snapchat', 'video', { description })).toEqual(['description']);
    const given = { description, options: { snapchat_description: 'short' } };
    expect(fields('snapchat', 'video', given)).toEqual([]);
    expect(RULES.snapchat.shape(draftFor(RULES.snapchat, post('snapchat', 'video', given)).draft)).toBe(
      'short',
    );
  });
});

describe('gbp', () => {
  const event = { gbp_topic_type: 'EVENT', gbp_event_title: 'Fair', gbp_event_start_date: '2026-12-01' };

  test('requires title and start date of an event', () => {
    expect(options('gbp', 'text', event)).toEqual([]);
    expect(options('gbp', 'text', { gbp_topic_type: 'EVENT' })).toEqual([
      'gbp_event_title',
      'gbp_event_start_date',
    ]);
    const titled = { title: 'Fair', options: { ...event, gbp_event_title: undefined as never } };
    expect(fields('gbp', 'text', titled)).toEqual([]);
  });

  test('requires the title of an offer, but not its dates', () => {
    expect(options('gbp', 'text', { gbp_topic_type: 'OFFER' })).toEqual(['gbp_event_title']);
    expect(options('gbp', 'text', { gbp_topic_type: 'OFFER', gbp_event_title: 'Sale' })).toEqual([]);
  });

  test('refuses an end before the start', () => {
    expect(options('gbp', 'text', { ...event, gbp_event_end_date: '2026-11-30' })).toEqual([
      'gbp_event_end_date',
    ]);
    const times = { gbp_event_start_time: '10:00', gbp_event_end_time: '09:00' };
    expect(options('gbp', 'text', { ...event, ...times })).toEqual(['gbp_event_end_time']);
    expect(options('gbp', 'text', { ...event, ...times, gbp_event_end_date: '2026-12-02' })).toEqual([]);
  });

  test.each(['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP'])(
    'requires gbp_cta_url for the button %s',
    gbp_cta_type => {
      expect(options('gbp', 'text', { gbp_cta_type })).toEqual(['gbp_cta_url']);
      expect(options('gbp', 'text', { gbp_cta_type, gbp_cta_url: 'https://example.com/' })).toEqual([]);
    },
  );

  test('requires no gbp_cta_url for CALL, and gbp_cta_type for a gbp_cta_url', () => {
    expect(options('gbp', 'text', { gbp_cta_type: 'CALL' })).toEqual([]);
    expect(options('gbp', 'text', { gbp_cta_url: 'https://example.com/' })).toEqual(['gbp_cta_type']);
  });

  test('accepts an image with a title only, and a video without any text', () => {
    expect(fields('gbp', 'image', { description: null })).toEqual(['description']);
    expect(fields('gbp', 'image', { description: null, title: 'Open again' })).toEqual([]);
    expect(fields('gbp', 'video', { description: null })).toEqual([]);
  });
});

describe('x, bluesky and telegram', () => {
  test('x counts links as 23 and Han as 2', () => {
    const link = `https://example.com/${'b'.repeat(200)}`;
    expect(messages('x', 'text', { description: `${'a'.repeat(250)} ${link}` })).toEqual([]);
    expect(messages('x', 'text', { description: `${'a'.repeat(257)} ${link}` })).toEqual([
      'description: X accepts at most 280 weighted characters; the text has 281. Set auto_truncate to true to shorten it',
    ]);
    expect(fields('x', 'text', { description: '字'.repeat(140) })).toEqual([]);
    expect(fields('x', 'text', { description: '字'.repeat(141) })).toEqual(['description']);
  });

  test('x and bluesky count decomposed letters once', () => {
    expect(fields('x', 'text', { description: 'e\u0301'.repeat(280) })).toEqual([]);
    expect(fields('bluesky', 'text', { description: 'e\u0301'.repeat(300) })).toEqual([]);
  });

  test('telegram accepts shorter captions than messages', () => {
    expect(fields('telegram', 'text', { description: 'a'.repeat(1500) })).toEqual([]);
    expect(fields('telegram', 'image', { description: 'a'.repeat(1500) })).toEqual(['description']);
    expect(fields('telegram', 'image', { description: 'a'.repeat(1500), auto_truncate: true })).toEqual([]);
  });
});
