import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders, newSecret } from './signature.ts';

const now = Date.now();
const delivery = {
  event: 'post.published',
  event_id: '3c1f0c8e-6f5e-5f0a-9d54-0f3f3a0c7c11',
  body: '{"event":"post.published","data":{"profile_name":"Grüße 🚀"}}',
} as const;

describe('deliveryHeaders', () => {
  test('signs the raw body in X-Service-Signature with the secret as it was shown', () => {
    const current = newSecret();
    const headers = deliveryHeaders(delivery, { current, previous: null }, now);
    expect(headers['X-Service-Signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(headers['X-Service-Signature']).toBe(
      createHmac('sha256', current).update(Buffer.from(delivery.body)).digest('hex'),
    );
  });

  test('passes the verification of Standard Webhooks', () => {
    const current = newSecret();
    const headers = deliveryHeaders(delivery, { current, previous: null }, now);
    expect(new Webhook(current).verify(delivery.body, headers)).toEqual(JSON.parse(delivery.body));
    expect(() => new Webhook(newSecret()).verify(delivery.body, headers)).toThrow();
    expect(() => new Webhook(current).verify(`${delivery.body} `, headers)).toThrow();
  });

  test('signs with both secrets during a rotation, and X-Service-Signature with the new one only', () => {
    const [current, previous] = [newSecret(), newSecret()];
    const headers = deliveryHeaders(delivery, { current, previous }, now);
    for (const secret of [current, previous]) new Webhook(secret).verify(delivery.body, headers);
    expect(headers['X-Service-Signature']).toBe(
      createHmac('sha256', current).update(delivery.body).digest('hex'),
    );
  });

  test('contains the event, its id, the time of the attempt and no secret', () => {
    const [current, previous] = [newSecret(), newSecret()];
    const headers = deliveryHeaders(delivery, { current, previous }, 1_796_119_200_999);
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'User-Agent': expect.stringMatching(/./),
      'X-Service-Event': 'post.published',
      'webhook-id': delivery.event_id,
      'webhook-timestamp': '1796119200',
    });
    const sent = JSON.stringify(headers);
    for (const secret of [current, previous]) expect(sent).not.toContain(secret.slice(6));
  });
});

test('newSecret returns whsec_ and 32 random bytes in base64', () => {
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(newSecret()).not.toBe(secret);
});
