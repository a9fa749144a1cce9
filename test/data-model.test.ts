import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { DestinationOf } from '../shared/model/destination.ts';
import { newId } from '../shared/model/id.ts';
import type { DueReading, MetricsReading } from '../shared/model/insight.ts';
import type { PlatformId } from '../shared/model/platform.ts';
import type { Post } from '../shared/model/post.ts';
import { leased, withIntent, published } from '../shared/delivery/transitions.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import { hashApiKey } from '../shared/model/api-key.ts';
import { listConnections } from '../shared/store/connections.ts';
import type { MediaCopy } from '../shared/model/copy.ts';
import { newTransfer } from '../shared/model/transfer.ts';
import type { Upload } from '../shared/model/upload.ts';
import { hashUrl } from '../shared/model/copy.ts';
import { postsThatMayUse, putMediaUse } from '../shared/store/media-uses.ts';
import { copiesOfPost, createCopy } from '../shared/store/copies.ts';
import { createUpload, getUpload, replaceUpload } from '../shared/store/uploads.ts';
import { listCapReservations, putCapReservation } from '../shared/store/cap-reservations.ts';
import {
  createPost,
  deletePost,
  getPost,
  getPosts,
  listPosts,
  replacePost,
  saveDestination,
  setWake,
} from '../shared/store/posts.ts';
import {
  deleteDue,
  listDue,
  getMetricsReadings,
  listMetricsReadings,
  putDue,
  putMetricsReading,
} from '../shared/store/insights.ts';
import { shardOf, type Table } from '../shared/store/table.ts';
import { releaseQueueLock, getQueue, acquireQueueLock } from '../shared/store/queue.ts';
import { storeResponse, acquireKey } from '../shared/store/idempotency.ts';
import { takeTokens } from '../shared/store/rate-limits.ts';
import { createProfile, findProfileByName, listProfiles } from '../shared/store/profiles.ts';
import { listFingerprints, putFingerprint } from '../shared/store/fingerprints.ts';
import { fingerprint } from '../shared/text/fingerprint.ts';
import { dueInShard } from '../shared/store/wake.ts';
import { findApiKey, getMember, getWorkspace } from '../shared/store/workspaces.ts';
import { deliveryWorld, type DeliveryWorld } from './support/delivery-world.ts';
import { meteredTable, type Units } from './support/units.ts';
import { BROADCAST_PATTERNS } from './support/broadcast-patterns.ts';
import { QUOTA_PATTERNS } from './support/quota-patterns.ts';
import { PLATFORM_PATTERNS } from './support/platform-patterns.ts';
import { WEBHOOK_PATTERNS } from './support/webhook-patterns.ts';
import { WORKSPACE_PATTERNS } from './support/workspace-patterns.ts';

/** Returns read and write units of the documented access patterns, by name. */
function documented(): Map<string, Units> {
  const text = readFileSync(new URL('../docs/data-model.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| ([^|]+?) +\| [^|]+\| +([\d.]+|-) +\| +([\d.]+|-) +\|/gm)];
  const units = (cell: string) => (cell === '-' ? 0 : Number(cell));
  return new Map(rows.map(([, name, read, write]) => [name!, { read: units(read!), write: units(write!) }]));
}

let world: DeliveryWorld;
let meter: ReturnType<typeof meteredTable>;
const docs = documented();

beforeAll(async () => {
  world = await deliveryWorld();
  meter = meteredTable(world.table);
  for (const platform of ['x', 'bluesky', 'telegram'] as const) await world.connect(platform);
});
afterAll(() => world.close());

/** Fields of a post of typical size, with ids as long as in production. */
const typicalPost = (workspace_id = newId()) => ({
  workspace_id,
  profile_id: newId(),
  created_by: newId(),
  description:
    'The new blend is out today: dark, with a hint of plums, roasted on Monday and ground while you wait. Come by or order at https://example.com/coffee/blend, and tell us how you like it',
});

/** Creates the state that patterns start from, outside the measurement. */
async function fixture() {
  const { table } = meter;
  const post = await world.store(typicalPost(), ['x', 'bluesky', 'telegram']);
  const made = await createWorkspace(
    world.table,
    { name: 'A', plan: 'pro', owner_email: 'a@example.com' },
    1,
  );
  const pending = post.destinations.x!;
  const active: DestinationOf<'publishing'> = leased(pending, post.due_at);
  const live = {
    platform_post_id: '1',
    platform_post_url: 'https://x.com/a/status/1',
    published_at: post.due_at,
  };
  const fresh: Post = { ...post, post_id: newId(post.created_at + 1) };
  const long = await world.read(
    await world.store({ ...typicalPost(), description: LONG_TEXT }, ['x', 'bluesky', 'telegram']),
  );
  return { table, post, long, fresh, made, pending, active, live };
}

/** 3,000 characters, as much as LinkedIn shows. */
const LONG_TEXT = 'A long text about the new blend of coffee. '.repeat(70).slice(0, 3000);

const FINGERPRINT = fingerprint(
  'A text of typical length about the opening hours of a shop, with a link and all that',
)!;
const reservationOf = ({ post_id, due_at }: Post) => ({
  account_id: post_id,
  target_id: null,
  post_id,
  at: due_at,
  taken_at: due_at,
});
/** Returns the post as the first of its own queue slot. */
const queuedPost = (post: Post): Post => ({
  ...post,
  scheduling: 'queue',
  profile_id: post.post_id,
  slot_number: 0,
});
const readingOf = ({ post_id, due_at }: Post): MetricsReading => ({
  post_id,
  platform: 'x',
  published_at: due_at,
  likes: 3,
  comments: 2,
  shares: 1,
  views: 4000,
  measured_at: due_at,
});
const dueReadingOf = ({ workspace_id, profile_id, post_id, due_at }: Post): DueReading => ({
  workspace_id,
  profile_id,
  post_id,
  platform: 'x',
  account_id: post_id,
  target_id: null,
  platform_post_id: '1234567890123456789',
  published_at: due_at,
  due_at,
  index: 0,
  failures: 0,
});
/** Of a profile of its own. */
const fingerprintOf = ({ post_id, due_at }: Post) => ({
  profile_id: post_id,
  post_id,
  due_at,
  keys: FINGERPRINT.keys,
});

const USE = { fingerprint: 'f'.repeat(43), seed: { id: newId(), at: 1 }, run: newId() };
/** The sealed response of POST /posts. */
const RESPONSE = 'v1.00000000.'.padEnd(700, 'a');

const SOURCE = 'https://cdn.example.com/media/2026/summer-collection/teaser.mp4';

/** An import that has just been requested. */
const anUpload = (): Upload => ({
  upload_id: newId(),
  workspace_id: 'w1',
  profile_id: newId(),
  status: 'processing',
  file_name: 'teaser.mp4',
  format: null,
  size: null,
  key: null,
  error: null,
  transfer: newTransfer(SOURCE),
  direct: null,
  lease_until: 0,
  revision: 1,
  created_at: 1,
  wake_at: 2,
});

const aCopy = ({ workspace_id, post_id }: Post): MediaCopy => ({
  workspace_id,
  post_id,
  url_hash: 'a',
  url: SOURCE,
  status: 'waiting',
  transfer: newTransfer(SOURCE),
  error: null,
  lease_until: 0,
  revision: 1,
  wake_at: 1,
});

type Fixture = Awaited<ReturnType<typeof fixture>>;

const PATTERNS: Record<string, (fixture: Fixture) => Promise<unknown>> = {
  'authenticate an API key': async ({ table, made }) => {
    await findApiKey(table, hashApiKey(made.api_key));
    await getWorkspace(table, made.workspace.workspace_id);
    await getMember(table, made.workspace.workspace_id, made.owner.user_id);
  },
  'create a profile': ({ table }) =>
    createProfile(table, {
      id: newId(),
      workspace_id: 'w2',
      profile_name: 'Acme',
      username: 'acme',
      created_by: null,
      created_at: 1,
    }),
  'find a profile by name': ({ table }) => findProfileByName(table, 'w2', 'Acme'),
  'list profiles': ({ table }) => listProfiles(table, 'w2'),
  "list a profile's accounts": ({ table }) => listConnections(table, 'w1', 'p1'),
  'store a post': ({ table, fresh }) => createPost(table, fresh),
  'read a post': ({ table, post }) => getPost(table, post.workspace_id, post.post_id),
  'list 20 posts': ({ table, post }) => listPosts(table, post.workspace_id, 20, null),
  "acquire a destination's lease": ({ table, post, pending, active }) =>
    saveDestination(table, post, pending, active),
  'write a commit intent': async ({ table, post, pending, active }) => {
    await saveDestination(world.table, post, pending, active);
    return saveDestination(
      table,
      post,
      active,
      withIntent(active, { step: 'create', state: {} }, post.due_at),
    );
  },
  'store an outcome': async ({ table, post, pending, active, live }) => {
    await saveDestination(world.table, post, pending, active);
    return saveDestination(table, post, active, published(active, live, [], post.due_at));
  },
  'store the last outcome': async ({ table, post, live }) => {
    const end = async (from: Table, current: Post, platform: PlatformId, wakeAt?: null) => {
      const held = leased(current.destinations[platform]!, post.due_at);
      const leasedPost = (await saveDestination(
        world.table,
        current,
        current.destinations[platform]!,
        held,
      ))!;
      const settled = { ...published(held, live, [], post.due_at), outbox: [] };
      return (await saveDestination(from, leasedPost, held, settled, wakeAt))!;
    };
    const others = await end(world.table, await end(world.table, post, 'x'), 'bluesky');
    return end(table, others, 'telegram', null);
  },
  'remove a post from the wake index': ({ table, post }) => setWake(table, post, null),
  'edit a post': ({ table, post }) =>
    replacePost(table, post, { ...post, version: post.version + 1, wake_at: post.wake_at! + 1 }),
  'delete a post': ({ table, post }) => deletePost(table, post),
  'store a long post': ({ table, long }) => createPost(table, { ...long, post_id: newId() }),
  'read a long post': ({ table, long }) => getPost(table, long.workspace_id, long.post_id),
  'store an outcome of a long post': ({ table, long, live }) => {
    const held = leased(long.destinations.x!, long.due_at);
    return saveDestination(table, long, long.destinations.x!, published(held, live, [], long.due_at));
  },
  'edit a long post': ({ table, long }) =>
    replacePost(table, long, { ...long, version: long.version + 1, wake_at: long.wake_at! + 1 }),
  'delete a long post': ({ table, long }) => deletePost(table, long),
  'store a post in a slot': ({ table, fresh }) => createPost(table, queuedPost(fresh)),
  'delete a post in a slot': async ({ table, fresh }) => {
    await createPost(world.table, queuedPost(fresh));
    return deletePost(table, queuedPost(fresh));
  },
  'move a post to another slot': async ({ table, fresh }) => {
    const from = queuedPost(fresh);
    await createPost(world.table, from);
    const to = { ...from, due_at: from.due_at + 1, wake_at: from.wake_at! + 1, version: from.version + 1 };
    return replacePost(table, from, to);
  },
  'read a queue of 20 posts': async ({ table, fresh }) => {
    const profile_id = newId();
    for (let n = 0; n < 20; n += 1) {
      await createPost(world.table, { ...queuedPost(fresh), profile_id, post_id: newId(), slot_number: n });
    }
    return getQueue(table, fresh.workspace_id, profile_id);
  },
  "acquire and release a queue's lock": async ({ table, post }) => {
    await acquireQueueLock(table, post, post.due_at);
    await releaseQueueLock(table, post);
  },
  'store the first readings of a post': ({ table, post: { workspace_id, profile_id, post_id, due_at } }) =>
    putDue(table, { workspace_id, profile_id, post_id, platforms: ['x', 'bluesky', 'linkedin'], due_at }),
  'store a metrics reading': async ({ table, post }) => {
    await putDue(world.table, dueReadingOf(post));
    await putMetricsReading(table, post.workspace_id, post.profile_id, readingOf(post));
    await putDue(table, { ...dueReadingOf(post), due_at: post.due_at + 1 });
    await deleteDue(table, dueReadingOf(post));
  },
  'list due readings': async ({ table, post }) => {
    await putDue(world.table, { ...dueReadingOf(post), profile_id: 'a' });
    return listDue(table, shardOf('a'), post.due_at, 500);
  },
  'list metrics readings of 100 posts': async ({ table, post }) => {
    const profile = post.post_id;
    for (let n = 0; n < 100; n += 1) {
      const reading = { ...readingOf(post), published_at: post.due_at + n };
      await putMetricsReading(world.table, post.workspace_id, profile, reading);
    }
    return listMetricsReadings(table, post.workspace_id, profile, 'x', post.due_at - 1);
  },
  'read the metrics of a post': async ({ table, post }) => {
    const refs = (['x', 'bluesky'] as const).map(platform => ({ ...readingOf(post), platform }));
    for (const each of refs) await putMetricsReading(world.table, post.workspace_id, post.profile_id, each);
    return getMetricsReadings(table, post.workspace_id, post.profile_id, refs);
  },
  'store a cap reservation': ({ table, post }) => putCapReservation(table, reservationOf(post)),
  "count an account's cap reservations": async ({ table, post }) => {
    for (let n = 0; n < 25; n += 1)
      await putCapReservation(world.table, { ...reservationOf(post), post_id: newId() });
    return listCapReservations(table, reservationOf(post).account_id, post.due_at - 1, post.due_at);
  },
  'store a text fingerprint': ({ table, post }) => putFingerprint(table, fingerprintOf(post), 1),
  'list the fingerprints of 25 posts': async ({ table, post }) => {
    const item = fingerprintOf(post);
    for (let n = 0; n < 25; n += 1) await putFingerprint(world.table, { ...item, post_id: newId() }, 1);
    return listFingerprints(table, item.profile_id, post.due_at, post.due_at);
  },
  'read 3 posts that may be similar': async ({ table, post }) => {
    const posts = await Promise.all([1, 2, 3].map(() => world.store(typicalPost(post.workspace_id))));
    return getPosts(
      table,
      post.workspace_id,
      posts.map(each => each.post_id),
    );
  },
  'acquire an idempotency key': ({ table, post }) => acquireKey(table, post.post_id, USE, 1),
  'store a response for its key': async ({ table, post }) => {
    await acquireKey(world.table, post.post_id, USE, 1);
    return storeResponse(table, post.post_id, USE.run, RESPONSE);
  },
  'replay a response': async ({ table, post }) => {
    await acquireKey(world.table, post.post_id, USE, 1);
    await storeResponse(world.table, post.post_id, USE.run, RESPONSE);
    return acquireKey(table, post.post_id, USE, 1);
  },
  "lease tokens of a key's rate limit": ({ table, post }) => takeTokens(table, post.post_id, 1000, 1, 0),
  'store an upload': ({ table }) => createUpload(table, anUpload()),
  "acquire an upload's lease": async ({ table }) => {
    const upload = anUpload();
    await createUpload(world.table, upload);
    return replaceUpload(table, upload, { ...upload, lease_until: 5, wake_at: 5 });
  },
  'read an upload': async ({ table }) => {
    const upload = anUpload();
    await createUpload(world.table, upload);
    return getUpload(table, upload, 1);
  },
  'record that a post uses an upload': ({ table, post }) =>
    putMediaUse(table, { workspace_id: post.workspace_id, url_hash: 'a', post_id: post.post_id }, 1),
  'list the posts that use an upload': async ({ table, post: { workspace_id, post_id } }) => {
    const use = { workspace_id, url_hash: hashUrl(SOURCE) };
    await putMediaUse(world.table, { ...use, post_id }, 1);
    return postsThatMayUse(table, use);
  },
  'store a media copy': ({ table, post }) => createCopy(table, aCopy(post)),
  'list the copies of a post': async ({ table, post }) => {
    for (const hash of ['a', 'b']) await createCopy(world.table, { ...aCopy(post), url_hash: hash });
    return copiesOfPost(table, post.workspace_id, post.post_id);
  },
  'sweep a shard with nothing overdue': ({ table }) => dueInShard(table, 0, 1, 500),
};

const OTHER_PATTERNS = {
  ...WORKSPACE_PATTERNS,
  ...PLATFORM_PATTERNS,
  ...WEBHOOK_PATTERNS,
  ...BROADCAST_PATTERNS,
  ...QUOTA_PATTERNS,
};

describe('docs/data-model.md', () => {
  test('lists exactly the measured patterns', () => {
    const measured = [...Object.keys(PATTERNS), ...Object.keys(OTHER_PATTERNS)];
    expect([...docs.keys()].sort()).toEqual(measured.sort());
  });

  for (const [name, run] of Object.entries(PATTERNS)) {
    test(`has the cost to ${name}`, async () => {
      const set = await fixture();
      if (name === 'list 20 posts')
        for (let n = 0; n < 20; n += 1)
          await world.store(typicalPost(set.post.workspace_id), ['x', 'bluesky', 'telegram']);
      expect(await meter.measure(() => run(set))).toEqual(docs.get(name));
    });
  }

  test.each(Object.entries(OTHER_PATTERNS))('has the cost to %s', async (name, run) => {
    expect(await meter.measure(() => run(meter.table, world.table))).toEqual(docs.get(name));
  });
});
