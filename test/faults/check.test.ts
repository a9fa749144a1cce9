import { expect, test } from '@jest/globals';
import { judge, type Evidence } from './check.ts';
import { isUnread } from './world.ts';

/* What `npm run test:faults` looks for, and that it sees it. */

const ID = 'p1';
const evidence = (change: Partial<Evidence> = {}, destination = {}): Evidence => ({
  orders: [
    { key: 'k', profile: 'Demo', text: 'Hello', post_type: 'text', platforms: ['x'], media: [], in_s: null },
  ],
  ids: new Map([['k', ID]]),
  posts: [
    {
      post_id: ID,
      description: 'Hello',
      destinations: [
        {
          platform: 'x',
          status: 'published',
          attempts: 1,
          platform_post_id: '7',
          platform_post_url: 'u',
          ...destination,
        },
      ],
    },
  ],
  live: [live()],
  events: [
    { event: 'post.published', id: 'e1', data: { post_id: ID, platform: 'x', platform_post_id: '7' } },
  ],
  refusals: new Map(),
  inFlight: [],
  ...change,
});
const live = () => ({
  platform: 'x',
  platform_post_id: '7',
  platform_post_url: 'u',
  kind: 'text',
  text: 'Hello',
  media: [],
  fields: {},
  published_at: '',
});
const told = (...kinds: string[]) =>
  kinds.map((event, index) => ({
    event,
    id: `e${index}`,
    data: { post_id: ID, platform: 'x', platform_post_id: '7' },
  }));
const kindsOf = (found: Evidence) => judge(found).violations.map(({ kind }) => kind);
const failed = (code: string, category: string) => ({ status: 'failed', error: { code, category } });

test.each([
  ['nothing is wrong', evidence(), []],
  ['it is live twice', evidence({ live: [live(), live()] }), ['duplicate']],
  ['it is not live', evidence({ live: [] }), ['lost']],
  ['its record names another', evidence({}, { platform_post_id: '8' }), ['untrue', 'untrue']],
  ['its event never came', evidence({ events: [] }), ['event']],
  [
    'it failed, and is live',
    evidence({}, failed('CONTENT_REJECTED', 'content')),
    ['untrue', 'event', 'event', 'lost'],
  ],
  [
    'it is unknown where the platform can be asked',
    evidence({ live: [], events: [] }, failed('DELIVERY_UNKNOWN', 'platform')),
    ['untrue', 'event'],
  ],
  ['it never ends', evidence({}, { status: 'publishing' }), ['in flight', 'event']],
  [
    'it failed for want of its account, though no account was lost',
    evidence(
      { live: [], events: told('post.failed', 'post.token_expired') },
      failed('TOKEN_EXPIRED', 'token'),
    ),
    ['lost', 'lost'],
  ],
  [
    'nobody heard of a lost account',
    evidence(
      { live: [], events: told('post.failed'), accountsMayBeLost: true },
      failed('TOKEN_EXPIRED', 'token'),
    ),
    ['event'],
  ],
  [
    'nothing is wrong with a lost account',
    evidence(
      { live: [], events: told('post.failed', 'post.token_expired'), accountsMayBeLost: true },
      failed('TOKEN_EXPIRED', 'token'),
    ),
    [],
  ],
  ['an event has two ids', evidence({ events: told('post.published', 'post.published') }), ['event']],
  ['it is not in the list', evidence({ posts: [] }), ['lost']],
  ['something is left', evidence({ inFlight: ['a schedule'] }), ['in flight']],
])('the campaign sees it when %s', (_, found, kinds) => {
  expect(kindsOf(found)).toEqual(kinds);
});

test.each([
  ['social-publishing-prod-media-dead-letters', true],
  ['social-publishing-prod-publish-dead-letters', false],
  ['social-publishing-prod-publish-x', false],
])('whether messages of %s stay unread is %s', (name, unread) => {
  expect(isUnread(name)).toBe(unread);
});
