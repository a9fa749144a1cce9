import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { memoryBucket } from '../../test/support/memory-bucket.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { platformPosts } from './drafts.ts';
import { readPost } from './input/read.ts';
import { candidateErrors } from './validate/candidate.ts';
import { fileResults } from './validate/file-facts.ts';
import { fileFindings, fileUrls } from './validate/files.ts';
import { ignoredFieldWarnings } from './validate/ignored-fields.ts';

const PLATFORMS = ['x', 'bluesky', 'telegram', 'facebook'] as const;

beforeEach(() => {
  for (const platform of PLATFORMS) jest.spyOn(RULES[platform], 'shape');
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('the text of each platform is shaped once per request', async () => {
  const body = {
    post_type: 'image',
    profile_name: 'Acme',
    platforms: [...PLATFORMS],
    description: 'Hello',
    media_urls: ['https://93.184.216.34/a.jpg', 'https://93.184.216.34/b.jpg'],
  };
  const { candidate } = await readPost(body, [], Date.parse('2026-12-01T10:00:00Z'));
  const posts = platformPosts(candidate, []);
  await candidateErrors(candidate, posts);
  fileFindings(posts, await fileResults(memoryBucket(), fileUrls(posts), null));
  ignoredFieldWarnings(candidate, posts);
  const calls = PLATFORMS.map(platform => [platform, jest.mocked(RULES[platform].shape).mock.calls.length]);
  expect(calls).toEqual(PLATFORMS.map(platform => [platform, 1]));
});
