import { beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../net/http.ts';
import { MINUTE } from '../../../time/instant.ts';
import { graphClient, type GraphCall, type GraphClientOptions } from './graph.ts';
import { parseLongIntegers } from '../../kit/long-integers.ts';
import { CreatedSchema, GraphId } from './json.ts';
import { createBudgets, type Budgets } from './usage.ts';

let sent: HttpRequest[];
let pauses: number[];
let now: number;
let budgets: Budgets;
let reply: Partial<Omit<HttpResponse, 'body'>> & { body?: string };

beforeEach(() => {
  sent = [];
  pauses = [];
  budgets = createBudgets();
  now = 1000;
  reply = { body: '{"id":"1"}' };
});

const http: HttpClient = {
  send: request => {
    sent.push(request);
    const { status = 200, headers = {}, body = '' } = reply;
    return Promise.resolve({ status, headers, body: Buffer.from(body) });
  },
  open: () => Promise.reject(new Error('not used')),
  close: () => undefined,
};

const client = (more: Partial<GraphClientOptions> = {}) =>
  graphClient({
    http,
    now: () => now,
    api: { platform: 'Facebook', root: 'https://graph.facebook.com/v26.0', errors: [] },
    token: 'EAA',
    appSecret: null,
    pause: ms => Promise.resolve(void pauses.push(ms)),
    budgets,
    ...more,
  });

const POST: GraphCall = { what: 'Publishing', purpose: 'commit', method: 'POST', path: '/1/feed' };
const usage = (percent: number, more: object = {}) => ({
  'x-business-use-case-usage': JSON.stringify({ '1': [{ call_count: 3, total_time: percent, ...more }] }),
});

describe('a call', () => {
  test('has the token in the authorization header and the form in the body', async () => {
    await client().call({ ...POST, query: { fields: 'id' }, form: { message: 'a b&c' } }, CreatedSchema);
    expect(sent).toEqual([
      {
        method: 'POST',
        url: 'https://graph.facebook.com/v26.0/1/feed?fields=id',
        headers: {
          authorization: 'Bearer EAA',
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'message=a+b%26c',
        timeoutMs: 20_000,
      },
    ]);
  });

  test('proves with the app secret that it comes from the app', async () => {
    await client({ appSecret: 'secret' }).call({ ...POST, json: { message: 'a' } }, CreatedSchema);
    const proof = '10e2efa408b7f02026f02fd77b52d24d7eee42c239068aab344faae79e5b7728';
    expect(new URL(sent[0]!.url).searchParams.get('appsecret_proof')).toBe(proof);
    expect(sent[0]!.body).toBe('{"message":"a"}');
  });

  test.each([
    ['a page of a proxy', '<html>ok</html>'],
    ['a body without the expected fields', '{"ok":true}'],
    ['nothing', ''],
  ])('with the answer 200 and %s has an unknown outcome', async (_, body) => {
    reply = { body };
    await expect(client().call(POST, CreatedSchema)).rejects.toMatchObject({
      kind: 'transient',
      outcomeUnknown: true,
    });
  });

  test('with the answer 200 and an error fails with that error', async () => {
    reply = { body: '{"error":{"code":190,"message":"Expired"}}' };
    await expect(client().call(POST, v.object({}))).rejects.toMatchObject({ kind: 'token_expired' });
  });
});

describe('a budget of calls', () => {
  test.each([
    [80, []],
    [90, [1000]],
    [99, [1900]],
  ])('of which %s percent are used is spared by the pauses %j', async (percent, expected) => {
    const calls = client();
    reply = { ...reply, headers: usage(percent) };
    await calls.call(POST, CreatedSchema);
    await calls.call(POST, CreatedSchema);
    expect(pauses).toEqual(expected);
  });

  test('is spared by later clients with the same token, and by no other', async () => {
    reply = { ...reply, headers: usage(90) };
    await client().call(POST, CreatedSchema);
    await client({ token: 'EAB' }).call(POST, CreatedSchema);
    expect(pauses).toEqual([]);
    await client().call(POST, CreatedSchema);
    expect(pauses).toEqual([1000]);
  });

  test('counts for an hour', async () => {
    reply = { ...reply, headers: usage(99) };
    await client().call(POST, CreatedSchema);
    now += 60 * MINUTE;
    await client().call(POST, CreatedSchema);
    expect(pauses).toEqual([]);
  });

  test.each([
    ['the announced time', usage(100, { estimated_time_to_regain_access: 19 }), 19],
    ['ten minutes where no time is announced', usage(100), 10],
    ['ten minutes where the app used its own up', { 'x-app-usage': '{"call_count":100}' }, 10],
  ])('that is used up ends calls for %s', async (_, headers, minutes) => {
    const calls = client();
    reply = { ...reply, headers };
    await calls.call(POST, CreatedSchema);
    now += MINUTE;
    await expect(calls.call(POST, CreatedSchema)).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: (minutes - 1) * MINUTE,
      outcomeUnknown: false,
    });
    expect(sent).toHaveLength(1);
    now += minutes * MINUTE;
    await calls.call(POST, CreatedSchema);
    expect(sent).toHaveLength(2);
  });
});

describe('JSON of Meta', () => {
  test('keeps long integers as text, and leaves strings as they are', () => {
    const text = '{"id":17841405793187218,"n":12,"f":1234567890123456.5,"t":"x: 17841405793187218, \\" 1"}';
    expect(parseLongIntegers(text)).toEqual({
      id: '17841405793187218',
      n: 12,
      f: 1234567890123456.5,
      t: 'x: 17841405793187218, " 1',
    });
  });

  test.each([
    ['12', '12'],
    [12, '12'],
    ['12_34', '12_34'],
  ])('has the id %j', (id, expected) => {
    expect(v.parse(GraphId, id)).toBe(expected);
  });

  test.each(['', 'a', '1_2_3', '../me', null])('has no id %j', id => {
    expect(v.is(GraphId, id)).toBe(false);
  });
});
