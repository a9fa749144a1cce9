import { expect, test } from '@jest/globals';
import { evaluate, type Evidence } from './evaluate.ts';

/* The violations that `npm run test:faults` reports. */

const ID = 'p1';
const evidence = (change: Partial<Evidence> = {}, destination = {}): Evidence => ({
  plans: [
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
  rejections: new Map(),
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
  comments: [],
  fields: {},
  published_at: '',
});
const sent = (...kinds: string[]) =>
  kinds.map((event, index) => ({
    event,
    id: `e${index}`,
    data: { post_id: ID, platform: 'x', platform_post_id: '7' },
  }));
const kindsOf = (found: Evidence) => evaluate(found).violations.map(({ kind }) => kind);
const failed = (code: string, category: string) => ({ status: 'failed', error: { code, category } });

test.each([
  ['nothing is wrong', evidence(), []],
  ['a post is live twice', evidence({ live: [live(), live()] }), ['duplicate']],
  ['a published post is not live', evidence({ live: [] }), ['lost']],
  ['a record has another id', evidence({}, { platform_post_id: '8' }), ['inconsistent', 'inconsistent']],
  ['an event is missing', evidence({ events: [] }), ['event']],
  [
    'a failed post is live',
    evidence({}, failed('CONTENT_REJECTED', 'content')),
    ['inconsistent', 'event', 'event', 'lost'],
  ],
  [
    'the outcome is unknown although the platform can be asked',
    evidence({ live: [], events: [] }, failed('DELIVERY_UNKNOWN', 'platform')),
    ['inconsistent', 'event'],
  ],
  [
    'the question for the outcome was rejected',
    evidence(
      { live: [], events: sent('post.failed'), rejections: new Map([['x', 1]]) },
      failed('DELIVERY_UNKNOWN', 'platform'),
    ),
    [],
  ],
  ['a post does not become final', evidence({}, { status: 'publishing' }), ['in flight', 'event']],
  [
    'a post failed because of its account, although no account was lost',
    evidence(
      { live: [], events: sent('post.failed', 'post.token_expired') },
      failed('TOKEN_EXPIRED', 'token'),
    ),
    ['lost', 'lost'],
  ],
  [
    'post.token_expired is missing for a lost account',
    evidence(
      { live: [], events: sent('post.failed'), accountsMayBeLost: true },
      failed('TOKEN_EXPIRED', 'token'),
    ),
    ['event'],
  ],
  [
    'a post fails with a lost account',
    evidence(
      { live: [], events: sent('post.failed', 'post.token_expired'), accountsMayBeLost: true },
      failed('TOKEN_EXPIRED', 'token'),
    ),
    [],
  ],
  [
    'a post fails by a fault of the service',
    evidence({ live: [], events: sent('post.failed') }, failed('INTERNAL', 'internal')),
    ['lost', 'lost'],
  ],
  ['an event has two ids', evidence({ events: sent('post.published', 'post.published') }), ['event']],
  ['an accepted post is not in the list', evidence({ posts: [] }), ['lost']],
  ['a schedule is left over', evidence({ inFlight: ['a schedule'] }), ['in flight']],
])('finds exactly the violations when %s', (_, found, kinds) => {
  expect(kindsOf(found)).toEqual(kinds);
});

test.each([
  ['was rejected', 'failed', 1, []],
  ['failed without a rejection', 'failed', 0, ['lost']],
  ['is missing', 'done', 1, ['inconsistent']],
])('finds exactly the violations when the link of a live post %s', (_, status, rejections, kinds) => {
  const destination = { platform_post_url: null, follow_ups: [{ name: 'permalink', status }] };
  expect(kindsOf(evidence({ rejections: new Map([['x', rejections]]) }, destination))).toEqual(kinds);
});

const COMMENT = 'First';
const commented = (comments: number, first_comment: object): Evidence => {
  const found = evidence({}, { first_comment });
  return {
    ...found,
    plans: found.plans.map(plan => ({ ...plan, comment: COMMENT })),
    live: [{ ...live(), comments: Array.from({ length: comments }, () => ({ text: COMMENT })) }],
  };
};

test.each([
  ['is live once', commented(1, { status: 'published' }), []],
  ['is live twice', commented(2, { status: 'published' }), ['duplicate']],
  ['is recorded, but not live', commented(0, { status: 'published' }), ['lost']],
  ['failed', commented(0, { status: 'failed', error: { code: 'DELIVERY_UNKNOWN' } }), ['lost']],
  ['does not become final', commented(0, { status: 'pending' }), ['in flight']],
])('finds exactly the violations when the first comment %s', (_, found, kinds) => {
  expect(kindsOf(found)).toEqual(kinds);
});
