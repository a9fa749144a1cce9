import { describe, expect, test } from '@jest/globals';
import type { Destination } from '../model/destination.ts';
import type { DestinationEventKind } from '../model/event.ts';
import { failure } from '../model/failure.ts';
import { isUuid } from '../model/id.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import { disconnectedEvent, type Disconnection } from './account.ts';
import { completedEvent } from './completed.ts';
import { eventOf } from './event.ts';

const settings = { publicUrl: 'https://api.example.com/v1' };
const due = Date.parse('2026-12-01T10:00:00.000Z');

const common = {
  platform: 'x',
  social_account_id: '0190a000-0000-7000-8000-000000000001',
  revision: 4,
  attempts: 2,
  failures: 0,
  first_attempt_at: due,
  changed_at: due + 3_250,
  outbox: [],
} as const;

const destinations = {
  published: {
    ...common,
    outbox: [],
    status: 'published',
    platform_post_id: '1790',
    platform_post_url: 'https://x.com/demo/status/1790',
    published_at: due + 2_100,
    follow_ups: [],
    lease: null,
  },
  failed: {
    ...common,
    outbox: [],
    status: 'failed',
    error: failure('TOKEN_EXPIRED', 'Token was revoked'),
    abandoned: null,
  },
  retrying: {
    ...common,
    outbox: [],
    status: 'retrying',
    checkpoint: null,
    intent: null,
    next_attempt_at: due + 120_000,
    error: failure('PLATFORM_RATE_LIMIT', 'Too many requests'),
  },
} satisfies Record<string, Destination>;

const post: Post = {
  post_id: '0190a000-0000-7000-8000-000000000002',
  workspace_id: '0190a000-0000-7000-8000-000000000003',
  profile_id: '0190a000-0000-7000-8000-000000000004',
  profile_name: 'Demo',
  post_type: 'text',
  title: null,
  description: 'Hello',
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
  scheduling: 'scheduled',
  due_at: due,
  version: 1,
  created_by: null,
  created_at: due - 86_400_000,
  updated_at: due - 86_400_000,
  destinations: {},
};

const base = { post_id: post.post_id, profile_name: 'Demo', platform: 'x' };

describe('eventOf', () => {
  test('returns exactly the fields of the specification for post.published', () => {
    const event = eventOf(post, destinations.published, 'post.published', settings);
    expect(event).toEqual({
      event: 'post.published',
      id: expect.any(String),
      timestamp: '2026-12-01T10:00:03.250Z',
      data: {
        ...base,
        platform_post_id: '1790',
        platform_post_url: 'https://x.com/demo/status/1790',
        scheduled_at: '2026-12-01T10:00:00.000Z',
        published_at: '2026-12-01T10:00:02.100Z',
      },
    });
    expect(isUuid(event.id)).toBe(true);
  });

  test('returns time, attempts and error for post.failed', () => {
    expect(eventOf(post, destinations.failed, 'post.failed', settings).data).toEqual({
      ...base,
      scheduled_at: '2026-12-01T10:00:00.000Z',
      failed_at: '2026-12-01T10:00:03.250Z',
      attempts: 2,
      error: { code: 'TOKEN_EXPIRED', message: 'Token was revoked' },
    });
  });

  test('returns the time of the next attempt for post.retry', () => {
    expect(eventOf(post, destinations.retrying, 'post.retry', settings).data).toEqual({
      ...base,
      scheduled_at: '2026-12-01T10:00:00.000Z',
      attempt: 2,
      next_attempt_at: '2026-12-01T10:02:00.000Z',
      error: { code: 'PLATFORM_RATE_LIMIT', message: 'Too many requests' },
    });
  });

  test('returns the account and the reconnect URL for post.token_expired', () => {
    expect(eventOf(post, destinations.failed, 'post.token_expired', settings).data).toEqual({
      ...base,
      social_account_id: common.social_account_id,
      reconnect_url: 'https://api.example.com/v1/integrations/x/connect',
      error: { code: 'TOKEN_EXPIRED', message: 'Token was revoked' },
    });
  });

  test('uses the creation time as scheduled_at of an immediate post', () => {
    const immediate: Post = { ...post, scheduling: 'immediate', due_at: post.created_at };
    expect(eventOf(immediate, destinations.published, 'post.published', settings).data).toMatchObject({
      scheduled_at: '2026-11-30T10:00:00.000Z',
    });
  });

  test('returns the same bytes for the same state', () => {
    const build = () =>
      JSON.stringify(
        eventOf(structuredClone(post), structuredClone(destinations.failed), 'post.failed', settings),
      );
    expect(build()).toBe(build());
  });

  test('derives another id for another platform, kind, attempt or post', () => {
    const { failed } = destinations;
    const ids = [
      eventOf(post, failed, 'post.failed', settings),
      eventOf(post, failed, 'post.token_expired', settings),
      eventOf(post, { ...failed, platform: 'bluesky' }, 'post.failed', settings),
      eventOf(post, { ...failed, attempts: 3 }, 'post.failed', settings),
      eventOf({ ...post, post_id: post.profile_id }, failed, 'post.failed', settings),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each<[DestinationEventKind, Destination]>([
    ['post.published', destinations.failed],
    ['post.failed', destinations.published],
    ['post.retry', destinations.failed],
    ['post.token_expired', destinations.published],
  ])('throws for %s when the status does not match', (kind, destination) => {
    expect(() => eventOf(post, destination, kind, settings)).toThrow(/Cannot build/);
  });
});

describe('completedEvent', () => {
  const published = { ...destinations.published, platform: 'bluesky' } as const;
  const complete = (changes: Partial<Post['destinations']> = {}) =>
    completedEvent({ ...post, destinations: { x: destinations.failed, bluesky: published, ...changes } });

  test('counts the destinations and names the state of each', () => {
    expect(complete()).toEqual({
      event: 'post.completed',
      id: expect.any(String),
      timestamp: '2026-12-01T10:00:03.250Z',
      data: {
        post_id: post.post_id,
        profile_name: 'Demo',
        status: 'partially_published',
        scheduled_at: '2026-12-01T10:00:00.000Z',
        completed_at: '2026-12-01T10:00:03.250Z',
        counts: { total: 2, published: 1, failed: 1 },
        destinations: [
          { platform: 'x', status: 'failed', error: { code: 'TOKEN_EXPIRED', message: 'Token was revoked' } },
          { platform: 'bluesky', status: 'published', error: null },
        ],
      },
    });
  });

  test('returns null while a destination is not final', () => {
    expect(complete({ telegram: { ...destinations.retrying, platform: 'telegram' } })).toBeNull();
    expect(completedEvent(post)).toBeNull();
  });

  test('returns the same event while an id or URL is amended, and another one after a retry', () => {
    const amended = { ...published, platform_post_url: 'https://bsky.app/x', revision: 9, outbox: [] };
    expect(complete({ bluesky: amended })).toEqual(complete());
    const retried = { ...destinations.failed, attempts: 3 };
    expect(complete({ x: retried })!.id).not.toBe(complete()!.id);
    const revoked = { ...destinations.failed, platform: 'bluesky' } as const;
    expect(complete({ bluesky: revoked })!.id).not.toBe(complete()!.id);
  });
});

describe('disconnectedEvent', () => {
  const connection: Connection = {
    id: common.social_account_id,
    workspace_id: post.workspace_id,
    profile_id: post.profile_id,
    platform: 'x',
    way: 'oauth',
    platform_user_id: '1',
    display_name: 'Zoë 🚀',
    username: 'zoe',
    avatar_url: null,
    scopes: [],
    attributes: {},
    sealed: 'v1.sealed',
    revision: 3,
    renew_at: null,
    token_expires_at: due,
    needs_reconnect: true,
    renewal_lease_until: null,
    connected_at: due,
    needs_target: false,
  };
  const revoked: Disconnection = { reason: 'revoked', at: due + 5, message: 'Token was revoked' };
  const build = (changes: Partial<Connection> = {}, disconnection: Disconnection = revoked) =>
    disconnectedEvent({ ...connection, ...changes }, 'Demo', disconnection, settings);

  test('names the account, the reason and where to reconnect it, and no secret', () => {
    expect(build()).toEqual({
      event: 'account.disconnected',
      id: expect.any(String),
      timestamp: '2026-12-01T10:00:00.005Z',
      data: {
        social_account_id: connection.id,
        platform: 'x',
        profile_id: post.profile_id,
        profile_name: 'Demo',
        display_name: 'Zoë 🚀',
        username: 'zoe',
        reason: 'revoked',
        expires_at: '2026-12-01T10:00:00.000Z',
        reconnect_url: 'https://api.example.com/v1/integrations/x/connect',
        error: { code: 'TOKEN_EXPIRED', message: 'Token was revoked' },
      },
    });
  });

  test('has another id for other credentials and for another reason', () => {
    const ids = [build(), build({ revision: 4 }), build({}, { ...revoked, reason: 'expires_soon' })];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3);
    expect(build()).toEqual(build());
  });
});
