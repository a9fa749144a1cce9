import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { startReceiver, type Receiver } from '../../test/support/receiver.ts';
import { createHttpClient, HttpFailure, type HttpClient, type Resolve } from './http.ts';
import { assertPublicUrl } from './public-url.ts';

/*
 * Isolation of hosts: one that does not answer, or whose name servers do not, delays no request to another. The address
 * checks are tested in functions/webhooks/addresses.test.ts.
 */

const OWN_MACHINE = { sandboxUrl: null, allowLoopback: true };
const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];
const posting = (url: string, timeoutMs = 20_000) =>
  ({ method: 'POST', url, body: '{}', timeoutMs }) as const;

let receiver: Receiver;
let client: HttpClient | null = null;
beforeEach(async () => void (receiver = await startReceiver()));
afterEach(async () => {
  client?.close();
  await receiver.close();
});

test('sends a request although the host leaves a hundred others unanswered', async () => {
  client = createHttpClient(OWN_MACHINE);
  const held: ServerResponse[] = [];
  receiver.script(
    ...Array.from({ length: 120 }, () => (response: ServerResponse) => void held.push(response)),
    200,
  );
  const waiting = Array.from({ length: 120 }, () => client!.send(posting(receiver.url)));
  while (held.length < waiting.length) await new Promise(resolve => setTimeout(resolve, 5));
  expect((await client.send(posting(receiver.url))).status).toBe(200);
  for (const response of held) response.end();
  await Promise.all(waiting);
});

test('resolves a name once for all requests that wait for it, and again for later ones', async () => {
  const asked: string[] = [];
  const answer = Promise.withResolvers<typeof LOOPBACK>();
  const resolve: Resolve = host => {
    asked.push(host);
    return host === 'slow.example' ? answer.promise : Promise.resolve(LOOPBACK);
  };
  client = createHttpClient(OWN_MACHINE, resolve);
  const { port } = new URL(receiver.url);
  const to = (host: string) => client!.send(posting(`http://${host}:${port}/`));
  const waiting = [to('slow.example'), to('slow.example'), to('slow.example')];
  expect((await to('quick.example')).status).toBe(200);
  expect(asked).toEqual(['slow.example', 'quick.example']);
  answer.resolve(LOOPBACK);
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  client.close();
  await to('slow.example');
  expect(asked).toEqual(['slow.example', 'quick.example', 'slow.example']);
});

test('resolves a name again after a failed lookup', async () => {
  const answers = [Promise.reject(new Error('no such name')), Promise.resolve(LOOPBACK)];
  client = createHttpClient(OWN_MACHINE, () => answers.shift()!);
  const url = `http://hooks.example:${new URL(receiver.url).port}/`;
  await expect(client.send(posting(url))).rejects.toThrow(HttpFailure);
  expect((await client.send(posting(url))).status).toBe(200);
});

test('refuses a URL whose name servers do not answer, within the time-out', async () => {
  const never: Resolve = () => new Promise(() => undefined);
  await expect(assertPublicUrl('https://hooks.example/', OWN_MACHINE, never, 20)).rejects.toMatchObject({
    reason: 'timeout',
    message: 'The DNS lookup of hooks.example timed out',
  });
});
