import type { SSMClient } from '@aws-sdk/client-ssm';
import { QueryCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { EventMessageSchema } from '../../shared/events/messages.ts';
import type { HousekeepingWork } from '../../shared/housekeeping/work.ts';
import { housekeepingOfKey, WAKE_GRACE_MS } from '../../shared/housekeeping/work.ts';
import { newId } from '../../shared/model/id.ts';
import type { Destination } from '../../shared/model/destination.ts';
import { statusOf, type Post } from '../../shared/model/post.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { createHttpClient, HttpFailure, type HttpClient } from '../../shared/net/http.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection, markNeedsReconnect, putConnection } from '../../shared/store/connections.ts';
import { putFingerprint } from '../../shared/store/fingerprints.ts';
import { PostItemSchema } from '../../shared/store/post-item.ts';
import { createPost, getPost } from '../../shared/store/posts.ts';
import { postponeWake } from '../../shared/store/wake.ts';
import { HOUR, MINUTE } from '../../shared/time/instant.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { mediaHost, type MediaHost } from '../../test/support/media-host.ts';
import { Killed, crashPoint, crashingServices } from '../../test/support/crashing-services.ts';
import { recorder } from '../../test/support/recorder.ts';
import { routes as mediaRoutes } from '../media/routes.ts';
import { routes as playlistRoutes } from '../playlists/routes.ts';
import { routes as profileRoutes } from '../profiles/routes.ts';
import { doHousekeeping } from './work.ts';
import { dueKeys } from '../../test/support/due-items.ts';

const routes = [...profileRoutes, ...mediaRoutes, ...playlistRoutes];
const app = { Parameter: { Value: JSON.stringify({ client_id: 'id', client_secret: 'secret' }) } };

const ItemSchema = v.looseObject({ SK: v.string(), post_id: v.optional(v.string()) });

let world: ApiWorld;
let platform: Awaited<ReturnType<typeof recorder>>;
let client: HttpClient;
/** Reaches loopback only. */
const http: Pick<HttpClient, 'open'> = {
  open: request =>
    request.url.startsWith('http://127.0.0.1')
      ? client.open(request)
      : Promise.reject(new HttpFailure('network', 'No such host', false)),
};
const before = { ...process.env };

beforeAll(async () => {
  const tokens = { access_token: 'new', refresh_token: 'newer', expires_in: 7200, scope: '' };
  platform = await recorder(() => ({ body: tokens }));
  process.env['SANDBOX_URL'] = platform.url;
  process.env['ALLOW_LOOPBACK'] = '1';
  client = createHttpClient();
});
afterAll(async () => {
  client.close();
  for (const name of ['SANDBOX_URL', 'ALLOW_LOOPBACK']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
  }
  await platform.close();
});
beforeEach(async () => {
  world = await createApiWorld(routes);
  world.services = { ...world.services, ssm: { send: () => Promise.resolve(app) } as unknown as SSMClient };
  platform.requests.length = 0;
});
afterEach(() => world.close());

/** Returns the events that were sent to the events queue, and removes them. */
const sentEvents = () =>
  world
    .takeMessages()
    .map(({ body }) => v.parse(EventMessageSchema, body))
    .flatMap(message => (message.kind === 'events' ? message.events : []));

const keep = (message: HousekeepingWork, services: Services = world.services, remainingMs = 100_000) =>
  doHousekeeping({ services, http, remainingMs: () => remainingMs }, message);

/** Returns the messages that a sweep sends now, and postpones the items. */
async function sweep(): Promise<HousekeepingWork[]> {
  const messages: HousekeepingWork[] = [];
  for (const key of await dueKeys(world.table, world.clock.now)) {
    const message = housekeepingOfKey(key);
    if (message && (await postponeWake(world.table, key, world.clock.now + WAKE_GRACE_MS)))
      messages.push(message);
  }
  return messages;
}

/** Advances the clock: sweeps every minute and handles the messages. */
async function settle(minutes = 12): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    world.clock.now += MINUTE;
    for (const message of await sweep()) await keep(message);
  }
}

describe('a deleted profile', () => {
  interface Belongings {
    profile: Profile;
    other: Profile;
    waiting: Post[];
    published: Post;
    running: Post;
  }

  async function belongings(assets = 30): Promise<Belongings> {
    const [profile, other] = [await world.profile(), await world.profile()];
    for (const owner of [profile, other]) {
      await world.connect(owner, 'x');
      const clip = { title: 'Clip', profile_id: owner.id, public_url: 'https://cdn.example.com/a.mp4' };
      const count = owner === profile ? assets : 3;
      for (let left = count; left > 0; left -= 100) {
        const body = Array.from({ length: Math.min(left, 100) }, () => clip);
        const { body: answer } = await world.call('POST /agency/media', { body });
        if (left !== count) continue;
        const media_asset_ids = answer.media.map(({ id }: { id: string }) => id);
        const playlist = { name: 'Loop', profile_id: owner.id, media_asset_ids };
        await world.call('POST /agency/playlists', { body: playlist });
      }
    }
    const waiting = [
      await store(profile, { scheduling: 'scheduled', due_at: world.clock.now + 48 * HOUR }),
      await store(profile, {}),
    ];
    const published = await store(profile, {}, 'published');
    const running = await store(profile, {}, 'publishing');
    await store(other, { scheduling: 'scheduled', due_at: world.clock.now + 48 * HOUR });
    return { profile, other, waiting, published, running };
  }

  async function store(
    profile: Profile,
    changes: Partial<Post>,
    status: 'pending' | 'publishing' | 'published' = 'pending',
  ): Promise<Post> {
    const now = world.clock.now;
    const common = {
      platform: 'x' as const,
      social_account_id: 'a',
      revision: 1,
      attempts: 1,
      failures: 0,
      first_attempt_at: null,
      changed_at: now,
      outbox: [],
    } satisfies Partial<Destination>;
    const destination: Record<typeof status, Destination> = {
      pending: { ...common, status: 'pending' },
      publishing: {
        ...common,
        status: 'publishing',
        checkpoint: null,
        intent: null,
        lease_until: now + HOUR,
      },
      published: {
        ...common,
        status: 'published',
        platform_post_id: '1',
        platform_post_url: null,
        published_at: now,
        follow_ups: [],
        lease: null,
      },
    };
    const post: Post = {
      post_id: newId(now),
      workspace_id: profile.workspace_id,
      profile_id: profile.id,
      profile_name: profile.profile_name,
      post_type: 'text',
      title: null,
      description: 'Hello',
      media_urls: [],
      first_comment: null,
      auto_truncate: false,
      options: {},
      scheduling: 'immediate',
      due_at: now,
      version: 1,
      created_by: null,
      created_at: now,
      updated_at: now,
      destinations: { x: destination[status] },
      ...changes,
      ...(status === 'published' ? {} : { wake_at: now + 72 * HOUR }),
    };
    await createPost(world.table, post);
    await putFingerprint(world.table, { ...post, keys: [1, 2, 3, 4, 5] }, now + HOUR);
    return post;
  }

  async function partition(pk: string) {
    const items: v.InferOutput<typeof ItemSchema>[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const page = await world.table.client.send(
        new QueryCommand({
          TableName: world.table.name,
          KeyConditionExpression: 'PK = :pk',
          ExpressionAttributeValues: { ':pk': pk },
          ConsistentRead: true,
          ...(start ? { ExclusiveStartKey: start } : {}),
        }),
      );
      items.push(...v.parse(v.array(ItemSchema), page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start);
    return items;
  }

  /** Every item of the workspace that names the profile, by kind, and its fingerprints. */
  async function left({ id, workspace_id }: Profile): Promise<string[]> {
    const items = await partition(`WS#${workspace_id}`);
    const named = items.filter(item => JSON.stringify(item).includes(id));
    const fingerprints = await partition(`SIMILAR#${id}`);
    const kinds = named.map(item =>
      item.SK.startsWith('POST#') ? postLine(v.parse(PostItemSchema, item)) : item.SK.split('#')[0]!,
    );
    return [...kinds, ...fingerprints.map(() => 'FINGERPRINT')].sort();
  }

  const remove = (services: Services, { id }: Profile) => {
    const route = profileRoutes.find(({ method }) => method === 'DELETE')!;
    const raw = { params: { id }, query: {}, body: undefined, request_id: 'r', headers: {}, base_url: '' };
    return route.invoke({ ...raw, principal: world.owner }, services);
  };

  const postLine = (post: Post) => `POST ${post.post_id} ${statusOf(post)}`;

  const expected = ({ published, running, waiting }: Belongings, ...late: Post[]) =>
    [
      ...[published, running].map(postLine),
      ...[...waiting, ...late].map(({ post_id }) => `POST ${post_id} cancelled`),
    ].sort();

  test('has everything erased but its posts, of which waiting ones are cancelled', async () => {
    const all = await belongings();
    await remove(world.services, all.profile);
    expect(await left(all.profile)).toEqual([...expected(all), 'CONNECTION', 'PROFILE-DELETION'].sort());
    const others = await left(all.other);
    await settle();
    expect(await left(all.profile)).toEqual(expected(all));
    expect(await left(all.other)).toEqual(others);
    const read = await getPost(world.table, all.published.workspace_id, all.published.post_id);
    expect(read).toEqual(all.published);
  });

  test('has its tokens revoked, and no others', async () => {
    const all = await belongings(1);
    await remove(world.services, all.profile);
    for (const { body } of world.takeMessages()) {
      const message = body as HousekeepingWork;
      if (message.kind === 'erase-profile') await keep(message);
    }
    expect(platform.requests).toEqual(Array(2).fill('POST /x/api.x.com/2/oauth2/revoke'));
    expect(await getConnection(world.table, all.profile.workspace_id, all.profile.id, 'x')).toBeNull();
    expect(await getConnection(world.table, all.other.workspace_id, all.other.id, 'x')).not.toBeNull();
  });

  test('has its deletion finished only when no request can still store anything for it', async () => {
    const all = await belongings(1);
    await remove(world.services, all.profile);
    const message: HousekeepingWork = {
      kind: 'erase-profile',
      workspace_id: all.profile.workspace_id,
      profile_id: all.profile.id,
    };
    await keep(message);
    expect(await left(all.profile)).toContain('PROFILE-DELETION');
    // A request that had read the profile stores its post now.
    const late = await store(all.profile, {});
    await settle();
    expect(await left(all.profile)).toEqual(expected(all, late));
    await keep(message);
  });

  test('is continued by the next run when time is over', async () => {
    const all = await belongings(3);
    const short = world.services;
    await remove(short, all.profile);
    const message: HousekeepingWork = {
      kind: 'erase-profile',
      workspace_id: all.profile.workspace_id,
      profile_id: all.profile.id,
    };
    await keep(message, world.services, 1000);
    expect(await left(all.profile)).toContain('CONNECTION');
    await settle();
    expect(await left(all.profile)).toEqual(expected(all));
  });

  test('with many assets and a slow table is deleted within the time of a request', async () => {
    const all = await belongings(1250);
    const begun = world.clock.now;
    const slowly = (command: never) => {
      world.clock.now += 400;
      return world.table.client.send(command);
    };
    const client = { send: slowly } as unknown as DynamoDBDocumentClient;
    await remove({ ...world.services, table: { ...world.table, client } }, all.profile);
    expect(world.clock.now - begun).toBeLessThan(20_000);
    expect((await left(all.profile)).filter(kind => kind === 'ASSET')).not.toEqual([]);
    await settle();
    expect(await left(all.profile)).toEqual(expected(all));
  });

  test('is erased completely when its request crashes at any call', async () => {
    for (let place = 0; ; place += 1) {
      const all = await belongings(3);
      const death = crashPoint(place);
      const request = crashingServices(world.services, death);
      const answered = await remove(request.services, all.profile).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return false;
        },
      );
      const survivors = await left(all.profile);
      // A request that died before the profile went is repeated by its caller.
      if (survivors.includes('PROFILE')) await remove(world.services, all.profile);
      await settle();
      expect({ place, left: await left(all.profile) }).toEqual({ place, left: expected(all) });
      if (answered && request.calls() < place) return;
    }
  });

  test('is erased completely when the housekeeper crashes at any call', async () => {
    for (let place = 0; ; place += 1) {
      const all = await belongings(3);
      await remove(world.services, all.profile);
      world.clock.now += 2 * MINUTE;
      const run = crashingServices(world.services, crashPoint(place));
      const { workspace_id, id } = all.profile;
      const message: HousekeepingWork = { kind: 'erase-profile', workspace_id, profile_id: id };
      await keep(message, run.services).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      await settle();
      expect({ place, left: await left(all.profile) }).toEqual({ place, left: expected(all) });
      if (run.calls() < place) return;
    }
  });
});

describe('the probe of a registered file', () => {
  let host: MediaHost;
  beforeAll(async () => {
    host = await mediaHost();
  });
  afterAll(() => host.close());

  async function register(file: string, changes: Record<string, unknown> = {}): Promise<string> {
    const profile = await world.profile();
    const body = { title: 'File', profile_id: profile.id, public_url: `${host.url}/${file}`, ...changes };
    const { body: answer } = await world.call('POST /agency/media', { body });
    return answer.media[0].id;
  }
  const read = async (id: string) => (await world.call('GET /agency/media/{id}', { params: { id } })).body;
  const probe = async () => {
    for (const { body } of world.takeMessages()) await keep(body as HousekeepingWork);
  };

  test('fills in omitted fields', async () => {
    const id = await register('clip.mp4?type=application/octet-stream');
    await probe();
    const { status, mime_type, duration, size, width, height, error } = await read(id);
    expect({ status, mime_type, error }).toEqual({ status: 'ready', mime_type: 'video/mp4', error: null });
    for (const value of [duration, size, width, height]) expect(value).toBeGreaterThan(0);
  });

  test('keeps given fields', async () => {
    const id = await register('photo.jpg', { duration: 3, size: 7 });
    await probe();
    expect(await read(id)).toMatchObject({ status: 'ready', mime_type: 'image/jpeg', duration: 3, size: 7 });
  });

  test('fails for a web page', async () => {
    const id = await register('page.html');
    await probe();
    expect(await read(id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/web page/) });
  });

  test('is repeated for a host that does not answer, and fails after the third time', async () => {
    const id = await register('photo.jpg?status=503');
    await probe();
    expect(await read(id)).toMatchObject({ status: 'processing', error: 'The media host answered 503' });
    await settle(30);
    expect(await read(id)).toMatchObject({ status: 'failed', error: 'The media host answered 503' });
    expect(await sweep()).toEqual([]);
  });

  test('is requested by the sweeper when its message was lost', async () => {
    const id = await register('photo.png');
    world.takeMessages();
    await settle();
    expect(await read(id)).toMatchObject({ status: 'ready', mime_type: 'image/png' });
  });

  test('does nothing for a deleted or already probed asset', async () => {
    const id = await register('photo.png');
    const [message] = world.takeMessages().map(({ body }) => body as HousekeepingWork);
    await keep(message!);
    await keep(message!);
    await world.call('DELETE /agency/media/{id}', { params: { id } });
    await keep(message!);
    expect((await world.call('GET /agency/media/{id}', { params: { id } })).status).toBe(404);
  });
});

describe('an account whose token is about to expire', () => {
  const TOKEN = 'POST /x/api.x.com/2/oauth2/token';

  async function connected(expires: number): Promise<Profile> {
    const profile = await world.profile();
    await world.connect(profile, 'x', { token_expires_at: expires, renew_at: world.clock.now + MINUTE });
    return profile;
  }
  const read = ({ workspace_id, id }: Profile) => getConnection(world.table, workspace_id, id, 'x');

  test('is renewed once ahead of time, and again before the new token expires', async () => {
    const profile = await connected(world.clock.now + 10 * MINUTE);
    world.clock.now += 2 * MINUTE;
    const [message] = await sweep();
    expect(message).toMatchObject({ kind: 'renew-account', platform: 'x' });
    await keep(message!);
    await keep(message!);
    expect(platform.requests).toEqual([TOKEN]);
    const renewed = await read(profile);
    expect(renewed).toMatchObject({ revision: 2, token_expires_at: world.clock.now + 2 * HOUR });
    expect(renewed?.renew_at).toBe(world.clock.now + 96 * MINUTE);
    world.clock.now += 90 * MINUTE;
    expect(await sweep()).toEqual([]);
    world.clock.now += 7 * MINUTE;
    expect(await sweep()).toHaveLength(1);
  });

  test('is left alone when it must be reconnected or was disconnected', async () => {
    const profile = await connected(world.clock.now + 10 * MINUTE);
    const connection = (await read(profile))!;
    await putConnection(world.table, { ...connection, needs_reconnect: true });
    const { workspace_id, id: profile_id } = profile;
    await keep({ kind: 'renew-account', workspace_id, profile_id, platform: 'x' });
    await keep({ kind: 'renew-account', workspace_id, profile_id, platform: 'bluesky' });
    expect(platform.requests).toEqual([]);
  });

  test('that needs its owner sends account.disconnected once, before a post fails', async () => {
    const profile = await connected(world.clock.now + 10 * MINUTE);
    const connection = (await read(profile))!;
    const outbox = { at: world.clock.now, message: 'Token was revoked' };
    expect(await markNeedsReconnect(world.table, connection, outbox)).toBe(true);
    expect(await markNeedsReconnect(world.table, connection, { ...outbox, at: 1 })).toBe(false);
    const [message] = await sweep();
    await keep(message!);
    // The queue delivers the message again.
    await keep(message!);
    expect(sentEvents()).toMatchObject([
      {
        event: 'account.disconnected',
        data: { social_account_id: connection.id, profile_name: profile.profile_name, reason: 'revoked' },
      },
    ]);
    expect(platform.requests).toEqual([]);
    world.clock.now += 24 * HOUR;
    expect(await sweep()).toEqual([]);
  });

  test('that cannot be renewed sends account.disconnected a week before its token expires', async () => {
    const profile = await world.profile();
    const expires = world.clock.now + 8 * 24 * HOUR;
    await world.connect(profile, 'x', { token_expires_at: expires, renew_at: null });
    expect(await sweep()).toEqual([]);
    world.clock.now += 24 * HOUR;
    const [message] = await sweep();
    await keep(message!);
    expect(sentEvents()).toMatchObject([
      {
        event: 'account.disconnected',
        data: { reason: 'expires_soon', expires_at: new Date(expires).toISOString() },
      },
    ]);
    expect((await read(profile))?.needs_reconnect).toBe(false);
    expect(await sweep()).toEqual([]);
  });

  test('that is refused while the event of its expiry is sent sends another event', async () => {
    const profile = await world.profile();
    await world.connect(profile, 'x', { token_expires_at: world.clock.now + 24 * HOUR, renew_at: null });
    const connection = (await read(profile))!;
    const outbox = { at: world.clock.now, message: 'Token was revoked' };
    const sqs = await world.services.sqs;
    const send = async (command: Parameters<typeof sqs.send>[0]) => {
      await markNeedsReconnect(world.table, connection, outbox);
      return sqs.send(command);
    };
    const [message] = await sweep();
    await keep(message!, { ...world.services, sqs: { send } as unknown as typeof sqs });
    world.clock.now += WAKE_GRACE_MS;
    for (const each of await sweep()) await keep(each);
    expect(sentEvents().map(event => event.data['reason'])).toEqual(['expires_soon', 'revoked']);
  });
});
