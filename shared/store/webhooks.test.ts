import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import type { ServiceEvent } from '../model/event.ts';
import { newId } from '../model/id.ts';
import { MAX_WEBHOOKS, newDelivery, type Webhook } from '../model/webhook.ts';
import { postponeWake } from './wake.ts';
import {
  WAKE_GRACE,
  createDelivery,
  deliveryOfKey,
  getDelivery,
  listDeliveries,
  recordAttempt,
} from './webhook-deliveries.ts';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, updateWebhook } from './webhooks.ts';
import { dueKeys } from '../../test/support/due-items.ts';

const now = Date.parse('2026-12-01T10:00:00Z');
let table: TestTable;
let workspace: string;

beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());
beforeEach(() => {
  workspace = newId();
});

function webhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    id: newId(),
    workspace_id: workspace,
    url: 'https://hooks.example.com/a',
    events: ['post.published'],
    description: null,
    active: true,
    disabled_reason: null,
    failing_since: null,
    paused_until: null,
    sealed_secret: 'v1.sealed',
    previous_secret: null,
    created_by: null,
    created_at: now,
    updated_at: now,
    ...changes,
  };
}

function event(at = now): ServiceEvent {
  return {
    event: 'post.published',
    id: newId(),
    timestamp: new Date(at).toISOString(),
    data: { post_id: 'p' },
  };
}

describe('webhooks', () => {
  test('are listed as stored, oldest first', async () => {
    const [first, second] = [webhook({ id: newId(now) }), webhook({ id: newId(now + 5), description: 'b' })];
    await createWebhook(table, second);
    await createWebhook(table, first);
    expect(await listWebhooks(table, workspace)).toEqual([first, second]);
    expect(await getWebhook(table, workspace, second.id)).toEqual(second);
  });

  test('of another workspace cannot be read or changed', async () => {
    const mine = webhook();
    await createWebhook(table, mine);
    const other = newId();
    expect(await listWebhooks(table, other)).toEqual([]);
    expect(await getWebhook(table, other, mine.id)).toBeNull();
    expect(await updateWebhook(table, other, mine.id, { active: false })).toBeNull();
    expect(await deleteWebhook(table, other, mine.id)).toBe(false);
    expect(await getWebhook(table, workspace, mine.id)).toEqual(mine);
  });

  test(`are limited to ${MAX_WEBHOOKS} under concurrency; deleting one makes room for one`, async () => {
    const tries = Array.from({ length: 25 }, () => webhook());
    const stored = await Promise.all(tries.map(each => createWebhook(table, each)));
    expect(stored.filter(Boolean)).toHaveLength(MAX_WEBHOOKS);
    const kept = await listWebhooks(table, workspace);
    expect(kept).toHaveLength(MAX_WEBHOOKS);
    expect(await deleteWebhook(table, workspace, kept[0]!.id)).toBe(true);
    expect(await deleteWebhook(table, workspace, kept[0]!.id)).toBe(false);
    expect(await Promise.all([webhook(), webhook()].map(each => createWebhook(table, each)))).toEqual(
      expect.arrayContaining([true, false]),
    );
  });

  test('are updated field by field; a rotation needs the expected secret', async () => {
    const stored = webhook();
    await createWebhook(table, stored);
    await updateWebhook(table, workspace, stored.id, { description: 'new' });
    const rotate = (sealed_secret: string) =>
      updateWebhook(table, workspace, stored.id, { sealed_secret }, { sealed_secret: stored.sealed_secret });
    const rotations = await Promise.all([rotate('v1.b'), rotate('v1.c')]);
    expect(rotations.filter(Boolean)).toHaveLength(1);
    const after = await getWebhook(table, workspace, stored.id);
    expect(after).toEqual({
      ...stored,
      description: 'new',
      sealed_secret: expect.stringMatching(/v1\.[bc]/),
    });
  });

  test('are disabled for failing only while failing_since is unchanged', async () => {
    const stored = webhook({ failing_since: now });
    await createWebhook(table, stored);
    const disable = (failing_since: number | null) =>
      updateWebhook(table, workspace, stored.id, { active: false }, { failing_since });
    await updateWebhook(table, workspace, stored.id, { failing_since: null });
    expect(await disable(now)).toBeNull();
    expect(await getWebhook(table, workspace, stored.id)).toMatchObject({ active: true });
    expect(await disable(null)).toMatchObject({ active: false });
    expect(
      await updateWebhook(table, workspace, newId(), { active: false }, { failing_since: null }),
    ).toBeNull();
  });
});

describe('deliveries', () => {
  test('are stored once for a repeated event', async () => {
    const hook = webhook();
    const once = event();
    const delivery = newDelivery(once, hook, now);
    expect(await createDelivery(table, delivery)).toBe(true);
    expect(await createDelivery(table, newDelivery(once, hook, now + 9_000))).toBe(false);
    expect(await getDelivery(table, delivery)).toEqual(delivery);
    expect(JSON.parse(delivery.body)).toEqual(once);
  });

  test('are listed newest first, page by page', async () => {
    const hook = webhook();
    const ids: string[] = [];
    for (const minute of [2, 0, 1]) {
      const delivery = newDelivery(event(now + minute * 60_000), hook, now);
      await createDelivery(table, delivery);
      ids[minute] = delivery.delivery_id;
    }
    await createDelivery(table, newDelivery(event(), webhook(), now));
    const first = await listDeliveries(table, hook.id, 2, null);
    expect(first.deliveries.map(({ delivery_id }) => delivery_id)).toEqual([ids[2], ids[1]]);
    expect(first.more).toBe(true);
    const second = await listDeliveries(table, hook.id, 2, ids[1]!);
    expect(second.deliveries.map(({ delivery_id }) => delivery_id)).toEqual([ids[0]]);
  });

  test('are all listed where a page of the table, 1 MB, has fewer than were asked for', async () => {
    const hook = webhook();
    const body = 'x'.repeat(300_000);
    const stored = [0, 1, 2, 3, 4].map(n => ({ ...newDelivery(event(now + n), hook, now), body }));
    for (const delivery of stored) await createDelivery(table, delivery);
    const first = await listDeliveries(table, hook.id, 10, null);
    expect(first.more).toBe(true);
    const second = await listDeliveries(table, hook.id, 10, first.deliveries.at(-1)!.delivery_id);
    expect(second.more).toBe(false);
    const ids = [...first.deliveries, ...second.deliveries].map(({ delivery_id }) => delivery_id);
    expect(ids).toEqual(stored.map(({ delivery_id }) => delivery_id).reverse());
  });

  test('are listed for 30 days and expire then, whatever their status', async () => {
    const hook = webhook();
    const delivery = newDelivery(event(), hook, now);
    await createDelivery(table, delivery);
    const failed = { at: now, status_code: 500, duration_ms: 12, error: 'Answered 500' };
    const wait = { status: 'pending', next_attempt_at: now + 5_000, wake_at: now + 5_000 } as const;
    await recordAttempt(table, delivery, failed, wait);
    const Key = { PK: `WEBHOOK#${hook.id}`, SK: `DELIVERY#${delivery.delivery_id}` };
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
    expect(Item!['expires_at']).toBe((now + 30 * 86_400_000) / 1000);

    const since = async (at: number, before: string | null = null) =>
      (await listDeliveries(table, hook.id, 20, before, at)).deliveries.length;
    expect(await since(now - 1)).toBe(1);
    expect(await since(now)).toBe(1);
    expect(await since(now + 1)).toBe(0);
    expect(await since(now + 1, delivery.delivery_id)).toBe(0);
  });

  test('are in the wake index while pending and leave it when final', async () => {
    const delivery = newDelivery(event(), webhook(), now);
    await createDelivery(table, delivery);
    const dueKey = async (at: number) =>
      (await dueKeys(table, at)).find(key => deliveryOfKey(key)?.delivery_id === delivery.delivery_id);
    const isDue = async (at: number) => (await dueKey(at)) !== undefined;
    expect(await isDue(now + WAKE_GRACE - 1)).toBe(false);
    expect(await isDue(now + WAKE_GRACE)).toBe(true);

    const failed = { at: now, status_code: 500, duration_ms: 12, error: 'Answered 500' };
    const due = now + 3_600_000;
    const wait = { status: 'pending', next_attempt_at: due, wake_at: due } as const;
    expect(await recordAttempt(table, delivery, failed, wait)).toBe(true);
    expect(await isDue(due - 1)).toBe(false);
    expect(await isDue(due)).toBe(true);
    const key = await dueKey(due);
    expect(await postponeWake(table, key!, due + 5_000)).toBe(true);
    expect(await isDue(due)).toBe(false);

    const second = (await getDelivery(table, delivery))!;
    expect(second).toMatchObject({ status: 'pending', attempts: [failed], next_attempt_at: due });
    const passed = { at: due, status_code: 204, duration_ms: 8, error: null };
    const done = { status: 'delivered', next_attempt_at: null, wake_at: null } as const;
    expect(await recordAttempt(table, second, passed, done)).toBe(true);
    expect(await isDue(due + 86_400_000)).toBe(false);
    expect(await getDelivery(table, delivery)).toMatchObject({
      status: 'delivered',
      attempts: [failed, passed],
      next_attempt_at: null,
    });
    expect(await postponeWake(table, key!, due)).toBe(false);
  });

  test('log an attempt that was made twice at the same moment once', async () => {
    const delivery = newDelivery(event(), webhook(), now);
    await createDelivery(table, delivery);
    const attempt = { at: now, status_code: 200, duration_ms: 5, error: null };
    const done = { status: 'delivered', next_attempt_at: null, wake_at: null } as const;
    const recorded = await Promise.all([1, 2, 3].map(() => recordAttempt(table, delivery, attempt, done)));
    expect(recorded.filter(Boolean)).toHaveLength(1);
    expect((await getDelivery(table, delivery))!.attempts).toHaveLength(1);
  });

  test('are told from the keys of other aggregates', () => {
    expect(deliveryOfKey({ PK: 'WS#a', SK: 'POST#b' })).toBeNull();
    expect(deliveryOfKey({ PK: 'WEBHOOK#a', SK: 'DELIVERY#b' })).toEqual({
      webhook_id: 'a',
      delivery_id: 'b',
    });
  });
});
