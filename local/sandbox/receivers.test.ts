import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startFakeSandbox } from './fake.ts';

let fake: Awaited<ReturnType<typeof startFakeSandbox>>;
beforeEach(async () => void (fake = await startFakeSandbox()));
afterEach(() => fake.sandbox.close());

const deliver = (body: string, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(`${fake.sandbox.url}/_receiver/shop`, { method, body, headers });

async function deliveries(): Promise<{ at: string; headers: Record<string, string>; body_base64: string }[]> {
  const answer = await fake.control('GET', '/receiver/shop');
  return ((await answer.json()) as { deliveries: never[] }).deliveries;
}

test('records requests of any method and responds 200', async () => {
  expect(await deliveries()).toEqual([]);
  expect((await deliver('{"a":1}', { 'x-service-event': 'post.published' })).status).toBe(200);
  expect((await deliver('ü', {}, 'PUT')).status).toBe(200);
  const [first, second] = await deliveries();
  expect(first).toEqual({
    at: '2026-03-02T10:00:00.000Z',
    headers: expect.objectContaining({ 'x-service-event': 'post.published' }),
    body_base64: Buffer.from('{"a":1}').toString('base64'),
  });
  expect(Buffer.from(second!.body_base64, 'base64').toString()).toBe('ü');
});

test('responds by the script and repeats its last response', async () => {
  const script = [{ status: 500 }, { status: 429, headers: { 'Retry-After': 3 } }, { status: 204 }];
  expect((await fake.control('PUT', '/receiver/shop', { script })).status).toBe(200);
  const answers = [await deliver('1'), await deliver('2'), await deliver('3'), await deliver('4')];
  expect(answers.map(({ status }) => status)).toEqual([500, 429, 204, 204]);
  expect(answers[1]!.headers.get('retry-after')).toBe('3');
  expect(await deliveries()).toHaveLength(4);
});

test('delays the response by delay_ms', async () => {
  await fake.control('PUT', '/receiver/shop', { script: [{ delay_ms: 120 }] });
  const start = performance.now();
  await deliver('1');
  expect(performance.now() - start).toBeGreaterThanOrEqual(115);
});

test('refuses an invalid script with every issue', async () => {
  const answer = await fake.control('PUT', '/receiver/shop', { script: [{ status: 'ok' }, { delay: 3 }] });
  expect(answer.status).toBe(400);
  const { issues } = (await answer.json()) as { issues: { path: string }[] };
  expect(issues.map(({ path }) => path)).toEqual(['script.0.status', 'script.1.delay']);
});

test('verifies signatures if the secret is known', async () => {
  const signed = (secret: string) => ({
    'x-service-signature': createHmac('sha256', secret).update('{}').digest('hex'),
  });
  const verified = async () => {
    const answer = await fetch(`${fake.sandbox.url}/_page/deliveries`);
    return ((await answer.json()) as { deliveries: { verified: boolean | null }[] }).deliveries[0]!.verified;
  };
  await deliver('{}', signed('s3cret'));
  expect(await verified()).toBeNull();
  await fake.control('PUT', '/receiver/shop', { script: [], secret: 's3cret' });
  expect(await verified()).toBe(true);
  await fake.control('PUT', '/receiver/shop', { script: [], secret: 'other' });
  expect(await verified()).toBe(false);
});
