import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PLATFORM_IDS, readPlatformId, type PlatformId, type PostType } from '../model/platform.ts';
import { draftFor, titleFor, type PostContent } from './kit/draft.ts';
import { fileLimitsOf } from './kit/files.ts';
import { LOAD_CONNECTOR } from './registry/load-connector.ts';
import { LOAD_PUBLISHER } from './registry/load-publisher.ts';
import { LOAD_RULES } from './registry/load-rules.ts';
import { BASICS } from './registry/basics.ts';
import { CONNECTORS } from './registry/connectors.ts';
import { LOAD_INSIGHTS } from './registry/load-insights.ts';
import { RULES } from './registry/rules.ts';
import type { TextRule } from './contract/rules.ts';
import { GB, HOURS, MB, MINUTES } from './kit/sizes.ts';

const post = (change: Partial<PostContent>): PostContent => ({
  post_type: 'text',
  title: null,
  description: null,
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
  ...change,
});
const draftOf = (platform: PlatformId, change: Partial<PostContent>) =>
  draftFor(RULES[platform], post(change)).draft;
const holds = (text: string, rules: readonly TextRule[]) =>
  rules.every(({ measure, limit }) => measure(text) <= limit);
const typesOf = (platform: PlatformId) => Object.keys(RULES[platform].post_types) as PostType[];

describe('support by post type', () => {
  // Most files of a post, `-` where the type is not taken. Of the two numbers that the interface states for pinterest
  // and facebook the larger holds.
  test.each([
    ['x', 0, 4, 1, '-'],
    ['youtube', '-', '-', 1, '-'],
    ['instagram', '-', 10, 1, '-'],
    ['facebook', 0, 10, 1, '-'],
    ['linkedin', 0, 9, 1, 1],
    ['tiktok', '-', 35, 1, '-'],
    ['threads', 0, 10, 1, '-'],
    ['pinterest', '-', 5, 1, '-'],
    ['gbp', 0, 1, 1, '-'],
    ['bluesky', 0, 4, '-', '-'],
    ['snapchat', '-', 1, 1, '-'],
    ['telegram', 0, 10, 1, 1],
  ] as const)('%s: text %s, image %s, video %s, document %s', (platform, text, image, video, document) => {
    const most = (type: PostType) => RULES[platform].post_types[type]?.max_files ?? '-';
    expect([most('text'), most('image'), most('video'), most('document')]).toEqual([
      text,
      image,
      video,
      document,
    ]);
  });
});

describe('text limits', () => {
  const none = null;
  test.each([
    ['x', 280, none, none, 1000],
    ['youtube', 5000, 100, none, none],
    ['instagram', 2200, none, 2196, 1000],
    ['facebook', 63_206, 255, none, none],
    ['linkedin', 3000, 400, 1250, none],
    ['tiktok', 2200, none, none, none],
    ['threads', 500, none, none, 1000],
    ['pinterest', 500, 100, none, 500],
    ['bluesky', 300, none, none, 1000],
    ['gbp', 1500, 58, none, none],
    ['snapchat', 160, 45, none, none],
    ['telegram', 4096, none, none, none],
  ] as const)('%s: post %s, title %s, comment %s, alt text %s', (platform, text, title, comment, alt) => {
    const rules = RULES[platform];
    const type = typesOf(platform).find(each => each !== 'image') ?? 'image';
    const draft = draftOf(platform, { post_type: type });
    expect(holds('a'.repeat(text), rules.text(draft))).toBe(true);
    expect(holds('a'.repeat(text + 1), rules.text(draft))).toBe(false);

    const bounded: [number | null, readonly TextRule[]][] = [
      [title, rules.title(draft)],
      [comment, rules.comment ?? []],
    ];
    for (const [limit, found] of bounded) {
      if (limit === none) expect(found).toEqual([]);
      else {
        expect(holds('a'.repeat(limit), found)).toBe(true);
        expect(holds('a'.repeat(limit + 1), found)).toBe(false);
      }
    }

    const field = `${platform}_alt_text`;
    expect(Object.hasOwn(rules.options, field)).toBe(alt !== none);
    if (alt === none) return;
    const faults = (length: number) =>
      draftFor(rules, post({ post_type: 'image', options: { [field]: 'a'.repeat(length) } })).violations;
    expect(faults(alt)).toEqual([]);
    expect(faults(alt + 1)).toEqual([
      { field, message: expect.stringMatching(new RegExp(`^Must be at most ${alt} `)) },
    ]);
  });

  test('a caption on telegram has at most 1024 characters', () => {
    const found = RULES.telegram.text(draftOf('telegram', { post_type: 'image' }));
    expect(holds('a'.repeat(1024), found)).toBe(true);
    expect(holds('a'.repeat(1025), found)).toBe(false);
  });

  test('a photo title on tiktok has at most 90 characters', () => {
    const found = RULES.tiktok.title(draftOf('tiktok', { post_type: 'image' }));
    expect(holds('a'.repeat(90), found)).toBe(true);
    expect(holds('a'.repeat(91), found)).toBe(false);
  });

  test('comments are supported on instagram, youtube, facebook and linkedin', () => {
    expect(PLATFORM_IDS.filter(platform => RULES[platform].comment !== null)).toEqual([
      'youtube',
      'instagram',
      'facebook',
      'linkedin',
    ]);
  });
});

describe('how platforms count', () => {
  const family = '👨‍👩‍👧‍👦'; // 1 grapheme, 7 code points, 11 UTF-16 units, 25 bytes
  const first = (platform: PlatformId) => RULES[platform].text(draftOf(platform, { post_type: 'text' }));
  const length = (platform: PlatformId, text: string) =>
    first(platform).map(({ measure, unit }) => `${measure(text)} ${unit}`);

  test.each([
    ['x', ['2 weighted characters']],
    ['youtube', ['7 characters', '25 UTF-8 bytes']],
    ['instagram', ['7 characters']],
    ['facebook', ['7 characters']],
    ['linkedin', ['11 UTF-16 units']],
    ['tiktok', ['11 UTF-16 units']],
    ['threads', ['25 characters (an emoji counts as its UTF-8 bytes)']],
    ['pinterest', ['7 characters']],
    ['bluesky', ['1 graphemes', '25 UTF-8 bytes']],
    ['gbp', ['11 UTF-16 units']],
    ['snapchat', ['7 characters']],
    ['telegram', ['11 UTF-16 units']],
  ] as const)('%s counts a family emoji as %j', (platform, found) => {
    expect(length(platform, family)).toEqual(found);
  });
});

describe('media limits', () => {
  test.each([
    ['youtube', 256 * GB, 12 * HOURS, [], ['MP4', 'MOV', 'AVI', 'WMV', 'FLV', 'WebM']],
    // The interface names TikTok's video formats only; its pictures are converted.
    ['tiktok', 4 * GB, 10 * MINUTES, ['JPG', 'PNG', 'WebP'], ['MP4', 'MOV', 'WebM']],
    ['instagram', 300 * MB, 15 * MINUTES, ['JPG', 'PNG'], ['MP4', 'MOV']],
    ['facebook', GB, 240 * MINUTES, ['JPG', 'PNG', 'GIF', 'WebP'], ['MP4', 'MOV']],
    ['linkedin', 5 * GB, 10 * MINUTES, ['JPG', 'PNG', 'GIF'], ['MP4']],
    ['x', GB, 4 * HOURS, ['JPG', 'PNG', 'GIF', 'WebP'], ['MP4', 'MOV']],
    ['threads', GB, 5 * MINUTES, ['JPG', 'PNG'], ['MP4', 'MOV']],
    ['pinterest', GB, 15 * MINUTES, ['JPG', 'PNG', 'GIF', 'WebP'], ['MP4']],
    ['bluesky', 100 * MB, 60, ['JPG', 'PNG', 'GIF', 'WebP'], ['MP4']],
    ['gbp', 25 * MB, 30, ['JPG', 'PNG'], ['MP4']],
    ['snapchat', GB, 300, ['JPG', 'PNG'], ['MP4']],
  ] as const)('%s: %s bytes, %s s, images %j, videos %j', (platform, bytes, seconds, images, videos) => {
    const { image, video } = RULES[platform].files;
    expect(image?.formats ?? []).toEqual(images);
    expect(image?.max_bytes ?? bytes).toBe(bytes);
    expect(video).toMatchObject({ formats: videos, max_bytes: bytes, max_seconds: seconds });
  });

  test.each([
    ['youtube', { youtube_type: 'shorts' }, null, { max_seconds: 60, max_aspect: 1, max_bytes: 256 * GB }],
    ['youtube', {}, 'Look #Shorts', { max_seconds: 60 }],
    ['youtube', {}, 'Look', { max_seconds: 12 * HOURS }],
    ['instagram', { instagram_media_type: 'STORIES' }, null, { max_seconds: 60, max_bytes: 100 * MB }],
    ['instagram', {}, null, { max_seconds: 15 * MINUTES, max_bytes: 300 * MB }],
    ['facebook', { facebook_media_type: 'REELS' }, null, { min_seconds: 3, max_seconds: 90 }],
    ['facebook', {}, null, { max_seconds: 240 * MINUTES }],
  ] as const)('of a video for %s with %j and the title %j: %j', (platform, options, title, limits) => {
    const draft = draftOf(platform, { post_type: 'video', options, title });
    expect(fileLimitsOf(RULES[platform], draft, 'video')).toMatchObject(limits);
  });

  test('do not exist for kinds that the platform does not accept', () => {
    expect(fileLimitsOf(RULES.youtube, draftOf('youtube', { post_type: 'video' }), 'image')).toBeNull();
  });

  test('exist for every post type', () => {
    for (const platform of PLATFORM_IDS) {
      for (const type of typesOf(platform)) {
        if (type !== 'text') expect(RULES[platform].files[type]).toBeDefined();
      }
    }
  });
});

describe('daily caps', () => {
  test.each([
    ['instagram', 50],
    ['tiktok', 15],
    ['linkedin', 150],
    ['youtube', 10],
    ['facebook', 25],
    ['x', 50],
    ['threads', 50],
    ['pinterest', 20],
    ['bluesky', 50],
    ['gbp', 25],
    ['snapchat', 25],
    ['telegram', 100],
  ] as const)('%s: %s in 24 hours', (platform, cap) => {
    expect(RULES[platform].daily_cap).toBe(cap);
  });
});

/** Folders that belong to no platform. */
const SHARED_FOLDERS = ['contract', 'families', 'kit', 'registry'];

describe('the registry', () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
    .filter(name => !SHARED_FOLDERS.includes(name));

  test('has a row for every folder and a folder for every row', () => {
    expect(folders.sort()).toEqual([...PLATFORM_IDS].sort());
    expect(Object.keys(RULES).sort()).toEqual([...PLATFORM_IDS].sort());
    for (const platform of PLATFORM_IDS) expect(RULES[platform].platform).toBe(platform);
  });

  test.each([
    ['publish.ts', LOAD_PUBLISHER],
    ['connect.ts', CONNECTORS],
  ] as const)('contains every %s', (file, table) => {
    const written = PLATFORM_IDS.filter(platform => {
      const path = join(import.meta.dirname, platform, file);
      return existsSync(path) && /^export const (?:publisher|connector)\b/m.test(readFileSync(path, 'utf8'));
    });
    expect(Object.keys(table).sort()).toEqual([...written].sort());
  });

  test('loads what the tables contain', async () => {
    for (const platform of PLATFORM_IDS) {
      expect(await LOAD_RULES[platform]()).toBe(RULES[platform]);
      expect(await LOAD_CONNECTOR[platform]?.()).toBe(CONNECTORS[platform]);
    }
  });

  test('names the fields of every connector', () => {
    for (const { platform, connect_fields = [], app_fields = [] } of Object.values(BASICS)) {
      const connector = CONNECTORS[platform]!;
      const direct = connector.ways.flatMap(way =>
        way.kind === 'direct' ? Object.keys(way.input.entries) : [],
      );
      expect([platform, connect_fields]).toEqual([platform, direct]);
      expect([platform, app_fields]).toEqual([platform, Object.keys(connector.app_fields)]);
    }
  });

  test('names the ages of the readings of every platform that has metrics, and of no other', () => {
    const measured = PLATFORM_IDS.filter(platform => BASICS[platform].reading_ages_ms);
    expect(measured.sort()).toEqual(Object.keys(LOAD_INSIGHTS).sort());
  });

  test('platform fields start with the name of the platform, and rules refer to existing fields', () => {
    for (const { platform, options, required, only_for, fetched, text_fields } of Object.values(RULES)) {
      const names = Object.keys(options);
      for (const name of names) expect(name.startsWith(`${platform}_`)).toBe(true);
      for (const name of [...required, ...fetched, ...Object.keys(only_for), ...Object.keys(text_fields)]) {
        expect(names).toContain(name);
      }
    }
  });

  test('only the Google Business platform has aliases', () => {
    expect(['gbp', 'google_business', 'googlebusiness'].map(readPlatformId)).toEqual(['gbp', 'gbp', 'gbp']);
    for (const name of ['', 'X', 'twitter', 'toString', '__proto__']) expect(readPlatformId(name)).toBeNull();
  });
});

describe('titles', () => {
  test.each([
    ['x', 'text'],
    ['instagram', 'image'],
    ['facebook', 'image'],
    ['linkedin', 'text'],
    ['tiktok', 'video'],
    ['threads', 'text'],
    ['snapchat', 'video'],
    ['telegram', 'text'],
  ] as const)('%s sends no title with a post of type %s', (platform, post_type) => {
    expect(titleFor(RULES[platform], draftOf(platform, { post_type, title: 'Title' }))).toBeNull();
  });

  test.each([
    ['youtube', 'video'],
    ['facebook', 'video'],
    ['linkedin', 'document'],
    ['tiktok', 'image'],
    ['pinterest', 'image'],
    ['gbp', 'text'],
  ] as const)('%s sends a title with a post of type %s, on one line', (platform, post_type) => {
    const draft = draftOf(platform, { post_type, title: ' One\r\nline ' });
    expect(titleFor(RULES[platform], draft)).toBe('One line');
  });
});
