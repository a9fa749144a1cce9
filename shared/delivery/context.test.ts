import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { saveAttributes } from '../connections/facts.ts';
import { statusOf, type Post } from '../model/post.ts';
import type { Connector } from '../platforms/contract/connector.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { CONNECTORS } from '../platforms/registry/connectors.ts';
import { MINUTE, SECOND } from '../time/instant.ts';

const TRANSIENT = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'busy' } as const;
const REJECTED = { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' } as const;

let world: DeliveryWorld;
let connector: Connector;
let original: Connector['facts'];
let reads = 0;
beforeAll(async () => {
  world = await deliveryWorld();
  connector = CONNECTORS.x!;
  original = connector.facts;
});
afterAll(() => world.close());
beforeEach(async () => {
  world.reset();
  await world.connect('x');
  reads = 0;
});
afterEach(() => void Object.assign(connector, { facts: original }));

/** The platform has facts of this age at most; reading them fails with `error`. */
function setFacts(max_age_ms: number, error: PlatformError | null = null): void {
  const read = () => {
    reads += 1;
    return error ? Promise.reject(error) : Promise.resolve({ attributes: { tier: 'basic' } });
  };
  Object.assign(connector, { facts: { max_age_ms, read } });
}

async function publish(change: Partial<Post> = {}): Promise<Post> {
  const post = await world.store(change);
  await world.handle(publishMessage(post));
  await world.runUntilSettled(post);
  return post;
}

const statusAfter = async (post: Post) => statusOf(await world.read(post));

describe('account facts', () => {
  test('are read for an attempt when they are stale, stored, and not read again while they are fresh', async () => {
    setFacts(30 * MINUTE);
    expect(await statusAfter(await publish())).toBe('published');
    expect(reads).toBe(1);
    expect(await world.connection('x')).toMatchObject({
      attributes: { tier: 'basic' },
      facts_at: world.clock.now,
    });
    await publish();
    expect(reads).toBe(1);
  });

  test('do not delay a post when reading them fails', async () => {
    setFacts(30 * MINUTE, new PlatformError(TRANSIENT));
    expect(await statusAfter(await publish())).toBe('published');
  });

  test('are not read for the follow-ups of a live post', async () => {
    setFacts(1 * SECOND);
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: [TRANSIENT, TRANSIENT] };
    await publish();
    expect(world.platform.effects).toHaveLength(1);
    expect(reads).toBe(1);
  });

  test('are not read to discard what a failed attempt left', async () => {
    setFacts(1 * SECOND);
    world.platform.commitFaults = [REJECTED];
    const post = await world.store({ post_type: 'image', media_urls: ['https://example.com/1.jpg'] });
    // The worker is killed when it has stored the failure.
    await world.runWithCrash(post, null);
    expect([await statusAfter(post), world.platform.discards]).toEqual(['failed', 1]);
    expect(reads).toBe(1);
  });
});

describe('attributes of the account that the platform has changed', () => {
  test('are stored beside the others, for later posts', async () => {
    await world.connect('x', { attributes: { chat_id: '-4', chat_type: 'group' } });
    world.platform.changedAttributes = { chat_id: '-100' };
    expect(await statusAfter(await publish())).toBe('published');
    expect(await world.connection('x')).toMatchObject({
      attributes: { chat_id: '-100', chat_type: 'group' },
    });
  });

  test('do not change an account that took the place of this one', async () => {
    const replaced = (await world.connection('x'))!;
    await world.connect('x', { id: 'c-other', attributes: { chat_id: '-5' } });
    await saveAttributes(world.services, replaced, { chat_id: '-100' });
    expect(await world.connection('x')).toMatchObject({ attributes: { chat_id: '-5' } });
  });

  test('do not fail the post when they cannot be stored', async () => {
    const send = () => Promise.reject(new Error('throttled'));
    const table = { ...world.table, client: { send } as unknown as DynamoDBDocumentClient };
    const connection = (await world.connection('x'))!;
    await expect(
      saveAttributes({ ...world.services, table }, connection, { chat_id: '-100' }),
    ).resolves.toBeUndefined();
  });
});
