import { describe, expect, test } from '@jest/globals';
import { decideCover, decideFile } from '../../media/limits/file-decision.ts';
import { limitViolations } from '../../media/limits/file-limits.ts';
import { FILE_OF_FORMAT, MEDIA_FORMATS, factsOfType, type MediaFormat } from '../../model/media.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import { draftFor, type PostContent } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { errorsOn } from '../../../test/support/candidates.ts';

/*
 * The tables of the interface specification, copied verbatim. Each cell is tested with the validation of a post: it
 * accepts a value at the limit and refuses one above it.
 */

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );

const platformOf = (name: string) => (name === 'Google Business' ? 'gbp' : name) as PlatformId;

const post = (change: Partial<PostContent>): PostContent => ({
  post_type: 'text',
  title: 'Title',
  description: 'Text',
  media_urls: change.post_type === 'text' ? [] : ['https://cdn.example.com/a'],
  first_comment: null,
  auto_truncate: false,
  ...change,
  options: {
    tiktok_privacy_level: 'PUBLIC_TO_EVERYONE',
    pinterest_board_id: '549755885175',
    ...change.options,
  },
});

const errorsAt = (platform: PlatformId, field: string, change: Partial<PostContent>) =>
  errorsOn(platform, post(change)).filter(error => error.field === field);

const files = (count: number) => Array.from({ length: count }, (_, n) => `https://cdn.example.com/${n}`);

describe('platform support by post type', () => {
  // The specification has two numbers for pinterest; the larger one, of the media table, applies.
  const SUPPORT = rowsOf(`
| x | yes | yes (4) | yes | no |
| youtube | no | no | yes | no |
| instagram | no | yes (10) | yes | no |
| facebook | yes | yes | yes | no |
| linkedin | yes | yes (9) | yes | yes |
| tiktok | no | yes (35) | yes | no |
| threads | yes | yes (10) | yes | no |
| pinterest | no | yes (5) | yes | no |
| Google Business | yes | yes (1) | yes | no |
| bluesky | yes | yes (4) | no | no |
| snapchat | no | yes (1) | yes | no |`);
  const TYPES: readonly PostType[] = ['text', 'image', 'video', 'document'];
  const cells = SUPPORT.flatMap(([name, ...row]) =>
    row.map((cell, column) => [platformOf(name!), TYPES[column]!, cell] as const),
  );

  test.each(cells)('%s, %s: %s', (platform, post_type, cell) => {
    const refused = errorsAt(platform, 'post_type', { post_type });
    expect(refused).toHaveLength(cell === 'no' ? 1 : 0);
    const most = Number(/\((\d+)\)/.exec(cell)?.[1] ?? 0);
    if (most === 0) return;
    expect(errorsAt(platform, 'media_urls', { post_type, media_urls: files(most) })).toEqual([]);
    expect(errorsAt(platform, 'media_urls', { post_type, media_urls: files(most + 1) })).toHaveLength(1);
  });
});

describe('text limits per platform', () => {
  const LIMITS = rowsOf(`
| x | 280 | none | none | 1000 |
| youtube | 5000 | 100 | none | none |
| instagram | 2200 | none | 2196 | 1000 |
| facebook | 63206 | 255 | none | none |
| linkedin | 3000 | 400 | 1250 | none |
| tiktok | 2200 | none | none | none |
| threads | 500 | none | none | none |
| pinterest | 500 | 100 | none | 500 |
| bluesky | 300 | none | none | 1000 |
| Google Business | 1500 | 58 | none | none |
| snapchat | 160 | 45 | none | none |`);
  const typeOf = (platform: PlatformId): PostType => (platform === 'bluesky' ? 'image' : 'video');
  const FIELDS = ['description', 'title', 'first_comment', 'alt_text'] as const;
  const cells = LIMITS.flatMap(([name, ...row]) =>
    row.map((cell, column) => [platformOf(name!), FIELDS[column]!, cell] as const),
  );

  /** Errors of a field with a text of this length; null where the platform has no such field. */
  function found(platform: PlatformId, field: (typeof FIELDS)[number], length: number) {
    const text = 'a'.repeat(length);
    if (field !== 'alt_text')
      return errorsAt(platform, field, { post_type: typeOf(platform), [field]: text });
    const name = `${platform}_alt_text`;
    if (!Object.hasOwn(RULES[platform].options, name)) return null;
    return errorsAt(platform, name, { post_type: 'image', options: { [name]: text } });
  }

  test.each(cells.filter(([, , limit]) => limit !== 'none'))('%s: %s of %s', (platform, field, limit) => {
    expect(found(platform, field, Number(limit))).toEqual([]);
    expect(found(platform, field, Number(limit) + 1)).toHaveLength(1);
  });

  /** Fields that the service adds to the interface; they have limits of their own. */
  const ADDED = ['threads alt_text', 'youtube first_comment'];
  const unlimited = cells.filter(
    ([platform, field, limit]) => limit === 'none' && !ADDED.includes(`${platform} ${field}`),
  );

  // A title or comment without a limit may have any length, or is not sent at all.
  test.each(unlimited)('%s: %s, %s', (platform, field) => {
    expect(found(platform, field, 100_000)).toEqual(field === 'alt_text' ? null : []);
  });
});

describe('media limits per platform', () => {
  const LIMITS = rowsOf(`
| youtube | 256 GB | 12 hours | none | MP4, MOV, AVI, WMV, FLV, WebM |
| tiktok | 4 GB | 10 min | 35 | MP4, MOV, WebM |
| instagram | 300 MB | 15 min | 10 | JPG, PNG, MP4, MOV |
| facebook | 1 GB | 240 min | 10 | JPG, PNG, GIF, WebP, MP4, MOV |
| linkedin | 5 GB | 10 min | 9 | JPG, PNG, GIF, MP4 |
| x | 1 GB | 4 hours | 4 | JPG, PNG, GIF, WebP, MP4, MOV |
| threads | 1 GB | 5 min | 10 | JPG, PNG, MP4, MOV |
| pinterest | 1 GB | 15 min | 5 | JPG, PNG, GIF, WebP, MP4 |
| bluesky | 100 MB | 60 sec | 4 | JPG, PNG, GIF, WebP, MP4 |
| Google Business | 25 MB | 30 sec | 1 | JPG, PNG, MP4 |
| snapchat | 1 GB | 300 sec | 1 | JPG, PNG, MP4 |`);
  const UNITS: Readonly<Record<string, number>> = {
    MB: 1_048_576,
    GB: 1_073_741_824,
    sec: 1,
    min: 60,
    hours: 3600,
  };
  const amountOf = (cell: string) => {
    const [count, unit] = cell.split(' ');
    return Number(count) * UNITS[unit!]!;
  };
  /** Problems of one file of a post that match `about`. */
  function broken(platform: PlatformId, format: MediaFormat, size: number, duration: number, about: RegExp) {
    const post_type = MEDIA_FORMATS[format];
    const { draft } = draftFor(RULES[platform], post({ post_type }));
    const known = factsOfType(FILE_OF_FORMAT[format].type, format, size);
    const facts = { ...known, width: 1080, height: 1080, duration };
    return decideFile(RULES[platform], draft, facts).problems.filter(problem => about.test(problem));
  }

  // bluesky does not support video posts, although the table has limits for its videos.
  test.each(LIMITS.filter(([name]) => name !== 'bluesky'))('%s: a video of %s and %s', (name, size, time) => {
    const platform = platformOf(name);
    const [bytes, seconds] = [amountOf(size), amountOf(time)];
    expect(broken(platform, 'MP4', bytes, seconds, /size|duration/)).toEqual([]);
    expect(broken(platform, 'MP4', bytes + 1, seconds, /size/)).toHaveLength(1);
    expect(broken(platform, 'MP4', bytes, seconds + 1, /duration/)).toHaveLength(1);
  });

  test('bluesky: the size, duration and format of a video', () => {
    const [, size, time] = LIMITS.find(([name]) => name === 'bluesky')!;
    const clip = (more: object) => {
      const known = factsOfType('video/mp4', 'MP4', amountOf(size!));
      return limitViolations(RULES.bluesky.files.video!, { ...known, duration: amountOf(time!), ...more });
    };
    expect(clip({})).toEqual([]);
    expect(clip({ size: amountOf(size!) + 1 })).toHaveLength(1);
    expect(clip({ duration: amountOf(time!) + 1 })).toHaveLength(1);
    expect(clip({ format: 'MOV' })).toHaveLength(1);
  });

  test.each(LIMITS.filter(([, , , most]) => most !== 'none'))('%s: %4$s images', (name, _, __, most) => {
    const count = (media_urls: string[]) =>
      errorsAt(platformOf(name), 'media_urls', { post_type: 'image', media_urls });
    expect(count(files(Number(most)))).toEqual([]);
    expect(count(files(Number(most) + 1))).toHaveLength(1);
  });

  const formats = LIMITS.flatMap(([name, , , , listed]) =>
    (Object.keys(MEDIA_FORMATS) as MediaFormat[])
      .filter(format => RULES[platformOf(name!)].post_types[MEDIA_FORMATS[format]])
      .map(format => [platformOf(name!), format, listed!.split(', ').includes(format)] as const),
  );
  // For tiktok the table lists video formats only, although it accepts images. Documents are not in the table.
  const named = formats.filter(
    ([platform, format]) =>
      MEDIA_FORMATS[format] === 'video' || (MEDIA_FORMATS[format] === 'image' && platform !== 'tiktok'),
  );
  test.each(named)('%s, %s: accepted %s', (platform, format, accepted) => {
    expect(broken(platform, format, 100_000, 10, /^The format is .*must be one of/)).toHaveLength(
      accepted ? 0 : 1,
    );
  });
});

describe('other limits', () => {
  test('a thumbnail on youtube: 2 MB, JPG, PNG, GIF or BMP', () => {
    const thumbnail = (format: MediaFormat, size: number) =>
      decideCover(RULES.youtube, 'youtube_thumbnail_url', {
        ...factsOfType(FILE_OF_FORMAT[format].type, format, size),
        width: 1280,
        height: 720,
      }).problems;
    const limit = 2 * 1_048_576;
    for (const format of ['JPG', 'PNG', 'GIF', 'BMP'] as const) expect(thumbnail(format, limit)).toEqual([]);
    expect(thumbnail('JPG', limit + 1)).toEqual([expect.stringContaining('size')]);
    for (const format of ['WebP', 'MP4', 'PDF'] as const) expect(thumbnail(format, limit)).toHaveLength(1);
  });
});

describe('daily post caps', () => {
  const [names, caps] = rowsOf(`
| instagram | tiktok | linkedin | youtube | facebook | x | threads | pinterest | bluesky | Google Business | snapchat |
| 50 | 15 | 150 | 10 | 25 | 50 | 50 | 20 | 50 | 25 | 25 |`);

  test.each(names!.map((name, column) => [name, caps![column]!]))('%s: %s', (name, cap) => {
    expect(RULES[platformOf(name)].daily_cap).toBe(Number(cap));
  });
});
