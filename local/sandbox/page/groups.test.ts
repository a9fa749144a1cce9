import { expect, test } from '@jest/globals';
import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';
import type { PostRecord } from '../../../shared/posts/present/view.ts';
import { groupsOf } from './groups.ts';

const DUE = Date.UTC(2026, 2, 2, 10);

const live = (platform: SandboxPost['platform'], id: string, published_at: string) =>
  ({ platform, platform_post_id: id, account: '42', published_at, text: id }) as SandboxPost;

const destination = (platform: string, id: string | null, more: object = {}) => ({
  platform,
  social_account_id: `${platform}-account`,
  status: id === null ? 'pending' : 'published',
  platform_post_id: id,
  published_at: id === null ? null : '2026-03-02T10:00:00.800Z',
  next_attempt_at: null,
  error: null,
  ...more,
});

const record = (destinations: object[], more: object = {}) =>
  ({
    post_id: 'p1',
    profile_name: 'Demo',
    status: 'published',
    scheduling: 'scheduled',
    description: 'Hello',
    title: null,
    media_alt_texts: ['A bag of coffee'],
    created_at: '2026-03-01T10:00:00.000Z',
    destinations,
    ...more,
  }) as unknown as PostRecord;

const handles = new Map([
  ['x-account', '@acme'],
  ['bluesky-account', '@acme.bsky.social'],
]);

test('a post is one group with all of its destinations, their handles and their lateness', () => {
  const published = [
    live('x', '1', '2026-03-02T10:00:00.800Z'),
    live('bluesky', '2', '2026-03-02T10:00:00.800Z'),
  ];
  const posts = [{ due_at: DUE, record: record([destination('x', '1'), destination('bluesky', '2')]) }];
  const groups = groupsOf(published, { posts, handles });
  expect(groups).toMatchObject([
    {
      id: 'p1',
      profile: 'Demo',
      due_at: '2026-03-02T10:00:00.000Z',
      destinations: [
        { platform: 'x', handle: '@acme', late_ms: 800, alt_texts: ['A bag of coffee'], post: published[0] },
        { platform: 'bluesky', handle: '@acme.bsky.social', late_ms: 800, post: published[1] },
      ],
    },
  ]);
});

test('scheduled and failed posts are shown although no platform has them', () => {
  const error = { code: 'CONTENT_REJECTED', message: 'Too long', remedy: 'Shorten it' };
  const failed = destination('x', null, { status: 'failed', error });
  const posts = [{ due_at: DUE, record: record([failed, destination('bluesky', null)]) }];
  const [group] = groupsOf([], { posts, handles });
  expect(group!.destinations).toMatchObject([
    { status: 'failed', error, late_ms: null, post: null },
    { status: 'pending', error: null, post: null },
  ]);
});

test('what no post of the API has published is shown by itself, newest first', () => {
  const published = [
    live('x', 'old', '2026-03-01T09:00:00.000Z'),
    live('x', 'new', '2026-03-02T09:00:00.000Z'),
  ];
  const posts = [{ due_at: DUE, record: record([destination('x', null)]) }];
  const groups = groupsOf(published, { posts, handles });
  expect(groups.map(({ id, profile }) => [id, profile])).toEqual([
    ['x new', null],
    ['p1', 'Demo'],
    ['x old', null],
  ]);
  expect(groupsOf(published, null)).toHaveLength(2);
});
