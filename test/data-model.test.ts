import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { DestinationOf } from '../shared/model/destination.ts';
import { newId } from '../shared/model/id.ts';
import type { DueReading, MetricsReading } from '../shared/model/insight.ts';
import type { Post } from '../shared/model/post.ts';
import { leased, withIntent, published } from '../shared/delivery/transitions.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import { hashApiKey } from '../shared/model/api-key.ts';
import { listConnections } from '../shared/store/connections.ts';
import type { MediaCopy } from '../shared/model/copy.ts';
import { newTransfer } from '../shared/model/transfer.ts';
import type { Upload } from '../shared/model/upload.ts';
import { copiesOfPost, createCopy } from '../shared/store/copies.ts';
import { createUpload, getUpload, replaceUpload } from '../shared/store/uploads.ts';
import { listCapReservations, putCapReservation } from '../shared/store/cap-reservations.ts';
import {
  createPost,
  deletePost,
  getPost,
  listPosts,
  replacePost,
  saveDestination,
  setWake,
} from '../shared/store/posts.ts';
import {
  deleteDueReading,
  listDueReadings,
  getMetricsReadings,
  listMetricsReadings,
  putDueReading,
  putMetricsReading,
} from '../shared/store/insights.ts';
import { shardOf } from '../shared/store/table.ts';
import { releaseQueueLock, getQueue, acquireQueueLock } from '../shared/store/queue.ts';
import { keepAnswer, acquireKey } from '../shared/store/idempotency.ts';
import { takeTokens } from '../shared/store/rate-limits.ts';
import { createProfile, findProfileByName, listProfiles } from '../shared/store/profiles.ts';
import { findFingerprints, putFingerprints } from '../shared/store/fingerprints.ts';
import { fingerprint } from '../shared/text/fingerprint.ts';
import { dueInShard } from '../shared/store/wake.ts';
import { findApiKey, getMember, getWorkspace } from '../shared/store/workspaces.ts';
import { deliveryWorld, type DeliveryWorld } from './support/delivery-world.ts';
import { meteredTable, type Units } from './support/units.ts';
import { WEBHOOK_PATTERNS } from './support/webhook-patterns.ts';
import { WORKSPACE_PATTERNS } from './support/workspace-patterns.ts';

/** Rows of the table of access patterns: name, reads, writes. */
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

/** What an ordinary post holds; ids as long as they are outside of tests. */
const ordinary = (workspace_id = newId()) => ({
  workspace_id,
  profile_id: newId(),
  created_by: newId(),
  description:
    'The new blend is out today: dark, with a note of plums, roasted on Monday and ground while you wait. Come by or order at https://example.com/coffee/blend, and tell us how you like it',
});

/** The state that each pattern finds; made outside the measurement. */
async function scene() {
  const { table } = meter;
  const post = await world.store(ordinary(), ['x', 'bluesky', 'telegram']);
  const made = await createWorkspace(
    world.table,
    { name: 'A', plan: 'pro', owner_email: 'a@example.com' },
    1,
  );
  const pending = post.destinations.x!;
  const holding: DestinationOf<'publishing'> = leased(pending, post.due_at);
  const live = {
    platform_post_id: '1',
    platform_post_url: 'https://x.com/a/status/1',
    published_at: post.due_at,
  };
  const fresh: Post = { ...post, post_id: newId(post.created_at + 1) };
  return { table, post, fresh, made, pending, holding, live };
}

const PRINT = fingerprint(
  'A text of ordinary length about the opening hours of a shop, with a link and all that',
)!;
const placeOf = ({ post_id, due_at }: Post) => ({
  account_id: post_id,
  post_id,
  at: due_at,
  taken_at: due_at,
});
/** A post at the first place of a slot of its own. */
const queuedPost = (post: Post): Post => ({
  ...post,
  scheduling: 'queue',
  profile_id: post.post_id,
  slot_number: 0,
});
const measurementOf = ({ post_id, due_at }: Post): MetricsReading => ({
  post_id,
  platform: 'x',
  published_at: due_at,
  likes: 3,
  comments: 2,
  shares: 1,
  views: 4000,
  measured_at: due_at,
});
const lookOf = ({ workspace_id, profile_id, post_id, due_at }: Post): DueReading => ({
  workspace_id,
  profile_id,
  post_id,
  platform: 'x',
  account_id: post_id,
  platform_post_id: '1234567890123456789',
  published_at: due_at,
  due_at,
  look: 0,
  faults: 0,
});
const traceOf = ({ post_id, due_at }: Post) => ({ post_id, at: due_at, sketch: PRINT.sketch });

const USE = { fingerprint: 'f'.repeat(43), seed: { id: newId(), at: 1 }, run: newId() };
/** The sealed answer of POST /posts. */
const ANSWER = 'v1.00000000.'.padEnd(700, 'a');

const SOURCE = 'https://cdn.example.com/media/2026/summer-collection/teaser.mp4';

/** An import that has just been asked for. */
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
  file_key: 'a',
  url: SOURCE,
  status: 'waiting',
  transfer: newTransfer(SOURCE),
  error: null,
  lease_until: 0,
  revision: 1,
  wake_at: 1,
});

type Scene = Awaited<ReturnType<typeof scene>>;

const PATTERNS: Record<string, (scene: Scene) => Promise<unknown>> = {
  'know a key': async ({ table, made }) => {
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
  'claim a destination': ({ table, post, pending, holding }) =>
    saveDestination(table, post, pending, holding),
  'mark a commit': async ({ table, post, pending, holding }) => {
    await saveDestination(world.table, post, pending, holding);
    return saveDestination(
      table,
      post,
      holding,
      withIntent(holding, { step: 'create', state: {} }, post.due_at),
    );
  },
  'store an outcome': async ({ table, post, pending, holding, live }) => {
    await saveDestination(world.table, post, pending, holding);
    return saveDestination(table, post, holding, published(holding, live, false, post.due_at));
  },
  'take a post out of the index': ({ table, post }) => setWake(table, post, null),
  'edit a post': ({ table, post }) =>
    replacePost(table, post, { ...post, version: post.version + 1, wake_at: post.wake_at! + 1 }),
  'delete a post': ({ table, post }) => deletePost(table, post),
  "store a post in a queue's slot": ({ table, fresh }) => createPost(table, queuedPost(fresh)),
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
  'take a turn at a queue': async ({ table, post }) => {
    await acquireQueueLock(table, post, post.due_at);
    await releaseQueueLock(table, post);
  },
  'note a look at a live post': ({ table, post }) => putDueReading(table, lookOf(post)),
  'store a measurement': async ({ table, post }) => {
    await putDueReading(world.table, lookOf(post));
    await putMetricsReading(table, post.workspace_id, post.profile_id, measurementOf(post));
    await putDueReading(table, { ...lookOf(post), due_at: post.due_at + 1 });
    await deleteDueReading(table, lookOf(post));
  },
  'see which looks are due': async ({ table, post }) => {
    await putDueReading(world.table, { ...lookOf(post), account_id: 'a' });
    return listDueReadings(table, shardOf('a'), post.due_at, 500);
  },
  'read the measurements of 100 posts': async ({ table, post }) => {
    const profile = post.post_id;
    for (let n = 0; n < 100; n += 1) {
      const measurement = { ...measurementOf(post), published_at: post.due_at + n };
      await putMetricsReading(world.table, post.workspace_id, profile, measurement);
    }
    return listMetricsReadings(table, post.workspace_id, profile, 'x', post.due_at - 1);
  },
  'read the measurements of a post': async ({ table, post }) => {
    const refs = (['x', 'bluesky'] as const).map(platform => ({ ...measurementOf(post), platform }));
    for (const each of refs) await putMetricsReading(world.table, post.workspace_id, post.profile_id, each);
    return getMetricsReadings(table, post.workspace_id, post.profile_id, refs);
  },
  'take a place under a daily cap': ({ table, post }) => putCapReservation(table, placeOf(post)),
  "count an account's places": async ({ table, post }) => {
    for (let n = 0; n < 25; n += 1)
      await putCapReservation(world.table, { ...placeOf(post), post_id: newId() });
    return listCapReservations(table, placeOf(post).account_id, post.due_at - 1, post.due_at);
  },
  "leave a text's traces": ({ table, post }) =>
    putFingerprints(table, post.post_id, PRINT.keys, traceOf(post), 1),
  'look for texts like one': async ({ table, post }) => {
    await putFingerprints(world.table, post.post_id, PRINT.keys, traceOf(post), 1);
    return findFingerprints(table, post.post_id, PRINT.keys);
  },
  'take an idempotency key': ({ table, post }) => acquireKey(table, post.post_id, USE, 1),
  'keep an answer for its key': async ({ table, post }) => {
    await acquireKey(world.table, post.post_id, USE, 1);
    return keepAnswer(table, post.post_id, USE.run, ANSWER);
  },
  'replay an answer': async ({ table, post }) => {
    await acquireKey(world.table, post.post_id, USE, 1);
    await keepAnswer(world.table, post.post_id, USE.run, ANSWER);
    return acquireKey(table, post.post_id, USE, 1);
  },
  "lease requests of a key's rate": ({ table, post }) => takeTokens(table, post.post_id, 1000, 1, 0),
  'note an upload': ({ table }) => createUpload(table, anUpload()),
  'take an upload in hand': async ({ table }) => {
    const upload = anUpload();
    await createUpload(world.table, upload);
    return replaceUpload(table, upload, { ...upload, lease_until: 5, wake_at: 5 });
  },
  'read an upload': async ({ table }) => {
    const upload = anUpload();
    await createUpload(world.table, upload);
    return getUpload(table, upload, 1);
  },
  'plan the copy of a file': ({ table, post }) => createCopy(table, aCopy(post)),
  'find the copies of a post': async ({ table, post }) => {
    for (const place of ['a', 'b']) await createCopy(world.table, { ...aCopy(post), file_key: place });
    return copiesOfPost(table, post.workspace_id, post.post_id);
  },
  'sweep a shard with nothing due': ({ table }) => dueInShard(table, 0, 1, 500),
};

const OTHER_PATTERNS = { ...WORKSPACE_PATTERNS, ...WEBHOOK_PATTERNS };

describe('docs/data-model.md', () => {
  test('lists just the patterns that are measured here', () => {
    const measured = [...Object.keys(PATTERNS), ...Object.keys(OTHER_PATTERNS)];
    expect([...docs.keys()].sort()).toEqual(measured.sort());
  });

  for (const [name, run] of Object.entries(PATTERNS)) {
    test(`tells what it costs to ${name}`, async () => {
      const set = await scene();
      if (name === 'list 20 posts')
        for (let n = 0; n < 20; n += 1)
          await world.store(ordinary(set.post.workspace_id), ['x', 'bluesky', 'telegram']);
      expect(await meter.measure(() => run(set))).toEqual(docs.get(name));
    });
  }

  test.each(Object.entries(OTHER_PATTERNS))('tells what it costs to %s', async (name, run) => {
    expect(await meter.measure(() => run(meter.table, world.table))).toEqual(docs.get(name));
  });
});
