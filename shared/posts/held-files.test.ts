import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sampleFiles } from '../../test/support/media.ts';
import { memoryBucket, type MemoryBucket } from '../../test/support/memory-bucket.ts';
import type { PlatformId } from '../model/platform.ts';
import type { PostContent } from '../platforms/kit/draft.ts';
import { MEDIA, publicUrlOf } from '../store/objects.ts';
import { heldFileFaults } from './held-files.ts';

let sample: (name: string) => Buffer;
let bucket: MemoryBucket;
beforeAll(async () => {
  sample = await sampleFiles();
});
beforeEach(() => {
  bucket = memoryBucket();
});

function held(name: string, bytes = sample(name)): string {
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
const look = (content: PostContent, ...platforms: PlatformId[]) => heldFileFaults(bucket, content, platforms);

describe('files that lie with the service', () => {
  test('are held against the limits of every platform of the post', async () => {
    const { details } = await look(contentOf([held('clip.mov')]), 'x', 'linkedin', 'pinterest');
    expect(details).toEqual([
      { field: 'media_urls[0]', platform: 'linkedin', message: 'Is MOV; must be one of MP4 (LinkedIn)' },
      { field: 'media_urls[0]', platform: 'pinterest', message: 'Is MOV; must be one of MP4 (Pinterest)' },
    ]);
  });

  test('are held against limits together, too', async () => {
    const content = contentOf([held('anim.gif'), held('photo.jpg')], { post_type: 'image' });
    const { details } = await look(content, 'x', 'pinterest');
    expect(details.map(({ field, platform }) => [field, platform])).toEqual([
      ['media_urls', 'x'],
      ['media_urls', 'pinterest'],
    ]);
  });

  test('say what a viewer will see otherwise', async () => {
    const { details, warnings } = await look(
      contentOf([held('tall.jpg')], { post_type: 'image' }),
      'instagram',
    );
    expect(details).toEqual([]);
    expect(warnings).toMatchObject([
      { code: 'MEDIA_CHANGED', field: 'media_urls[0]', platform: 'instagram' },
    ]);
  });
});

describe('nothing is said', () => {
  test('of files elsewhere: nobody is asked for them', async () => {
    const content = contentOf([
      'https://cdn.example.com/clip.mov',
      'https://media.example.com/copies/clip.mov',
    ]);
    expect(await look(content, 'linkedin')).toEqual({ details: [], warnings: [] });
  });

  test('of a file that is not there yet, and of one that storage does not give', async () => {
    const url = held('clip.mov');
    expect(await look(contentOf([`${url}2`]), 'linkedin')).toEqual({ details: [], warnings: [] });
    bucket.fail(new Error('down'));
    expect(await look(contentOf([url]), 'linkedin')).toEqual({ details: [], warnings: [] });
  });
});
