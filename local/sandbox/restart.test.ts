import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxPost } from '../../shared/platforms/contract/sandbox.ts';
import { openStore, type LocalStore } from '../store.ts';
import { startFakeSandbox } from './fake.ts';
import { startSandbox, type Sandbox } from './index.ts';
import { makeFiles } from './media/files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the body with a store that the next run opens again. */
async function run(body: (store: LocalStore) => Promise<void>): Promise<void> {
  const store = openStore(folder);
  await body(store);
  store.close();
}

test('published posts and received files survive a restart with a store', async () => {
  const { bytes } = (await makeFiles()).get('photo.jpg')!;
  let sha256 = '';
  await run(async store => {
    const fake = await startFakeSandbox({ store, folder: join(folder, 'media') });
    await fake.tweet('first');
    await fake.tweet('second');
    ({ sha256 } = await fake.platform.host().storeMedia(bytes));
    await fake.sandbox.close();
  });
  await run(async store => {
    const fake = await startFakeSandbox({ store, folder: join(folder, 'media') });
    const { items } = (await (await fake.control('GET', '/published')).json()) as { items: SandboxPost[] };
    expect(items.map(({ text }) => text)).toEqual(['first', 'second']);
    const file = await fake.control('GET', `/media/${sha256}`);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    await fake.sandbox.close();
  });
});

test('accounts and tokens of the platforms survive a restart with a store', async () => {
  const open = (store: LocalStore): Promise<Sandbox> =>
    startSandbox({ port: 0, now: Date.now, store, folder: join(folder, 'media') });
  const control = (sandbox: Sandbox, path: string, body: object) =>
    fetch(`${sandbox.url}/_control${path}`, { method: 'POST', body: JSON.stringify(body) });
  const bluesky = (sandbox: Sandbox, name: string, token: string | null, body: object | null) =>
    fetch(`${sandbox.url}/bluesky/bsky.social/xrpc/com.atproto.server.${name}`, {
      method: 'POST',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== null && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
  const login = { identifier: 'demo.bsky.social', password: 'demo-demo-demo-demo' };
  const sendMessage = (sandbox: Sandbox) =>
    fetch(
      `${sandbox.url}/telegram/api.telegram.org/bot7000000001:AAsandboxSandboxSandboxSandboxSandbox/sendMessage?chat_id=@sandbox_demo&text=Hi`,
    );
  let refreshJwt = '';

  await run(async store => {
    const sandbox = await open(store);
    ({ refreshJwt } = (await (await bluesky(sandbox, 'createSession', null, login)).json()) as {
      refreshJwt: string;
    });
    expect((await sendMessage(sandbox)).status).toBe(200);
    const change = { platform: 'telegram', account: '@sandbox_demo', status: 'kicked' };
    expect((await control(sandbox, '/accounts', change)).status).toBe(200);
    await sandbox.close();
  });
  await run(async store => {
    const sandbox = await open(store);
    expect((await bluesky(sandbox, 'refreshSession', refreshJwt, null)).status).toBe(200);
    expect((await sendMessage(sandbox)).status).toBe(403);
    await sandbox.close();
  });
});

test.each([
  ['an unknown account', { platform: 'x', account: 'nobody', premium: true }, 'account'],
  ['an unknown change', { platform: 'x', account: 'demo', colour: 'red' }, 'colour'],
  ['no account', { platform: 'x', premium: true }, 'account'],
])('POST /_control/accounts refuses %s', async (_, body, path) => {
  const sandbox = await startSandbox({ port: 0, now: Date.now, folder });
  const response = await fetch(`${sandbox.url}/_control/accounts`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ issues: [{ path }] });
  await sandbox.close();
});
