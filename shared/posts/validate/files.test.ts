import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { candidateOf } from '../../../test/support/candidates.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { memoryBucket, type MemoryBucket } from '../../../test/support/memory-bucket.ts';
import type { PlatformId } from '../../model/platform.ts';
import type { PostContent } from '../../platforms/kit/draft.ts';
import { MEDIA, publicUrlOf } from '../../store/objects.ts';
import { platformPosts } from '../drafts.ts';
import { fileResults } from './file-facts.ts';
import { fileFindings, fileUrls } from './files.ts';

let sample: (name: string) => Buffer;
let bucket: MemoryBucket;
beforeAll(async () => {
  sample = await sampleFiles();
});
beforeEach(() => {
  bucket = memoryBucket();
});

function stored(name: string, bytes = sample(name)): string {
  const key = `${MEDIA}${name}`;
  bucket.objects.set(key, { bytes, type: 'application/octet-stream' });
  return publicUrlOf(bucket, key);
}
const contentOf = (media_urls: string[], change: Partial<PostContent> = {}): PostContent => ({
  post_type: 'video',
  title: null,
  description: null,
  media_urls,
  first_comment: null,
  auto_truncate: false,
  options: {},
  ...change,
});
async function findings(content: PostContent, ...platforms: PlatformId[]) {
  const posts = platformPosts(candidateOf(content, platforms), []);
  return fileFindings(posts, await fileResults(bucket, fileUrls(posts), null));
}

describe('a stored file', () => {
  test('is checked against the limits of every platform of the post', async () => {
    const { errors } = await findings(contentOf([stored('clip.mov')]), 'x', 'linkedin', 'pinterest');
    expect(errors.map(({ field, platform }) => [field, platform])).toEqual([
      ['media_urls[0]', 'linkedin'],
      ['media_urls[0]', 'pinterest'],
    ]);
    expect(errors[0]!.message).toContain('MP4');
  });

  test('is checked together with the other files of the post', async () => {
    const content = contentOf([stored('anim.gif'), stored('photo.jpg')], { post_type: 'image' });
    const { errors } = await findings(content, 'x', 'pinterest');
    expect(errors.map(({ field, platform }) => [field, platform])).toEqual([
      ['media_urls', 'x'],
      ['media_urls', 'pinterest'],
    ]);
  });

  test('gets a warning about what a viewer will see differently', async () => {
    const { errors, warnings } = await findings(
      contentOf([stored('tall.jpg')], { post_type: 'image' }),
      'instagram',
    );
    expect(errors).toEqual([]);
    expect(warnings).toMatchObject([
      { code: 'MEDIA_CHANGED', field: 'media_urls[0]', platform: 'instagram' },
    ]);
  });
});

describe('MEDIA_NOT_CHECKED is the only finding', () => {
  const notChecked = (...fields: string[]) => ({
    errors: [],
    warnings: fields.map(field => ({ code: 'MEDIA_NOT_CHECKED', field, message: expect.any(String) })),
  });

  test('for files of other hosts, which are not requested without a budget', async () => {
    const content = contentOf(['https://media.example.com/copies/clip.mov']);
    expect(await findings(content, 'linkedin')).toEqual(notChecked('media_urls[0]'));
  });

  test('for a file that is not stored yet, and while the bucket is unavailable', async () => {
    const url = stored('clip.mov');
    expect(await findings(contentOf([`${url}2`]), 'linkedin')).toEqual(notChecked('media_urls[0]'));
    bucket.fail(new Error('down'));
    expect(await findings(contentOf([url]), 'linkedin')).toEqual(notChecked('media_urls[0]'));
  });
});

describe('the name of a file', () => {
  const elsewhere = (name: string) => `https://cdn.example.com/${name}`;
  const image = (...names: string[]) => contentOf(names.map(elsewhere), { post_type: 'image' });

  test('that was not read is an error when it names another kind of file', async () => {
    const { errors } = await findings(image('a.jpg', 'b.mp4?sig=1', 'c', 'd.PDF'), 'facebook', 'telegram');
    expect(errors).toEqual([
      {
        field: 'media_urls[1]',
        message: 'The URL names a file of format MP4, which is not an image',
        platform: null,
      },
      { field: 'media_urls[3]', message: expect.stringContaining('PDF'), platform: null },
    ]);
    expect((await findings(contentOf([elsewhere('a.mp4')]), 'x')).errors).toEqual([]);
  });

  test('that was not read is an error when it names a video for a cover', async () => {
    const content = contentOf([elsewhere('a.mp4')], { options: { instagram_cover_url: elsewhere('b.mp4') } });
    const { errors } = await findings(content, 'instagram');
    expect(errors).toEqual([
      {
        field: 'instagram_cover_url',
        message: 'The URL names a file of format MP4, which is not an image',
        platform: null,
      },
    ]);
  });

  test('that was not read is an error when it names a GIF among several images', async () => {
    const { errors } = await findings(image('a.GIF', 'b.jpg'), 'x', 'bluesky', 'telegram');
    expect(errors.map(({ field, platform }) => [field, platform])).toEqual([
      ['media_urls', 'x'],
      ['media_urls', 'bluesky'],
    ]);
    expect((await findings(image('a.gif'), 'x')).errors).toEqual([]);
  });

  test('does not matter when the file was read', async () => {
    const misnamed = (name: string, sampleName: string) => stored(name, sample(sampleName));
    const content = contentOf([misnamed('a.mp4', 'photo.jpg'), misnamed('b.gif', 'photo.jpg')], {
      post_type: 'image',
    });
    expect((await findings(content, 'x', 'facebook')).errors).toEqual([]);
  });
});
