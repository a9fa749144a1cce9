import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../shared/model/json.ts';
import { createHttpClient, type HttpClient } from '../shared/net/http.ts';
import { connector } from '../shared/platforms/bluesky/connect.ts';
import { publisher } from '../shared/platforms/bluesky/publish.ts';
import { recordKey } from '../shared/platforms/bluesky/record-key.ts';
import type { PublishJob } from '../shared/platforms/contract/publisher.ts';
import { connectDirectly, connectedAccount, type AnyGrant } from './support/connectors.ts';
import { blueskyJob, noisyJpeg } from './support/bluesky.ts';
import { drive, reconcile, type DriveOptions } from './support/drive.ts';
import { startPds, whyNoPds, withDirectory, type Pds, type PdsLogin } from './support/pds.ts';

const missing = whyNoPds();
if (missing !== null) process.stdout.write(`Skipped test/pds.test.ts. ${missing}\n`);

/** Connector and publisher with the real Bluesky server software. */
(missing === null ? describe : describe.skip)('a real Bluesky server', () => {
  let pds: Pds;
  let media: HttpClient;
  let http: HttpClient;
  let images: Server;
  let image: Buffer;
  let login: PdsLogin;
  let grant: AnyGrant;

  beforeAll(async () => {
    // The test server is on loopback without https, which the check of server addresses allows with this variable.
    process.env['ALLOW_LOOPBACK'] = '1';
    pds = await startPds();
    media = createHttpClient({ sandboxUrl: null, allowLoopback: true });
    http = withDirectory(media, pds);
    image = await noisyJpeg(1400, 1000);
    images = createServer((_, response) => void response.end(image));
    await new Promise<void>(resolve => images.listen(0, '127.0.0.1', () => resolve()));
    login = await pds.createAccount('alice');
    await pds.createAccount('bob');
    grant = await connectDirectly(connector, login, context());
  });

  afterAll(async () => {
    delete process.env['ALLOW_LOOPBACK'];
    media.close();
    images.close();
    await pds.stop();
  });

  const context = () => ({ http, now: Date.now });
  const options = (): DriveOptions => ({
    credentials: grant.credentials,
    http,
    media,
    now: Date.now,
    advance: () => undefined,
  });
  const job = (change: Partial<PublishJob>) => blueskyJob(grant, change);
  const publish = (publishJob: PublishJob, change: Partial<DriveOptions> = {}) =>
    drive(publisher, publishJob, { ...options(), ...change });

  async function read(path: string): Promise<Response> {
    return fetch(`${pds.url}/xrpc/${path}`, { signal: AbortSignal.timeout(10_000) });
  }

  async function recordOf(publishJob: PublishJob, taken = 0): Promise<JsonObject> {
    const query = `repo=${grant.account.platform_user_id}&collection=app.bsky.feed.post&rkey=${recordKey(publishJob, taken)}`;
    const response = await read(`com.atproto.repo.getRecord?${query}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { value: JsonObject }).value;
  }

  async function countPosts(): Promise<number> {
    const query = `repo=${grant.account.platform_user_id}&collection=app.bsky.feed.post`;
    const response = await read(`com.atproto.repo.listRecords?${query}`);
    return ((await response.json()) as { records: unknown[] }).records.length;
  }

  test('connects with an app password and finds the account’s server by its DID', () => {
    expect(grant).toMatchObject({
      account: { username: 'alice.test', display_name: 'alice.test', avatar_url: null },
      credentials: { app_password: login.app_password },
      scopes: ['com.atproto.appPass'],
      attributes: { pds: pds.url },
    });
    expect(grant.expires_at).toBeGreaterThan(Date.now() + 110 * 60_000);
  });

  test('rejects a wrong app password with a message for the user', async () => {
    const wrong = connectDirectly(connector, { ...login, app_password: 'aaaa-aaaa-aaaa-aaaa' }, context());
    await expect(wrong).rejects.toMatchObject({ kind: 'rejected', message: /does not accept/ });
  });

  test('publishes a text with facets at the right byte ranges', async () => {
    const text = '🔗 https://example.invalid/a by @bob.test and @nobody.test #café $TSLA';
    const publishJob = job({ text });
    const { post } = await publish(publishJob);
    expect(post).toMatchObject({
      platform_post_id: `at://${grant.account.platform_user_id}/app.bsky.feed.post/${recordKey(publishJob)}`,
      platform_post_url: `https://bsky.app/profile/alice.test/post/${recordKey(publishJob)}`,
    });

    const record = await recordOf(publishJob);
    expect(record).toMatchObject({ text, createdAt: '2026-03-02T10:00:00.123Z' });
    const words = (record['facets'] as { index: { byteStart: number; byteEnd: number } }[]).map(({ index }) =>
      Buffer.from(text).subarray(index.byteStart, index.byteEnd).toString(),
    );
    expect(words).toEqual(['https://example.invalid/a', '@bob.test', '#café', '$TSLA']);
  });

  test('reduces an image over 2,000,000 bytes, and the server stores exactly those bytes', async () => {
    expect(image.byteLength).toBeGreaterThan(2_000_000);
    const url = `http://127.0.0.1:${(images.address() as AddressInfo).port}/image`;
    const publishJob = job({
      post_id: 'image',
      post_type: 'image',
      text: 'Look',
      media_urls: [url, url],
      alt_texts: ['noise', 'noise'],
    });
    await publish(publishJob);

    const embed = (await recordOf(publishJob))['embed'] as { images: JsonObject[] };
    expect(embed.images).toHaveLength(2);
    const [first] = embed.images;
    expect(first).toMatchObject({ alt: 'noise', aspectRatio: { width: 1400, height: 1000 } });
    const { ref, size, mimeType } = first!['image'] as {
      ref: { $link: string };
      size: number;
      mimeType: string;
    };
    expect({ mimeType, small: size <= 1_950_000 }).toEqual({ mimeType: 'image/jpeg', small: true });
    const blob = await read(
      `com.atproto.sync.getBlob?did=${grant.account.platform_user_id}&cid=${ref.$link}`,
    );
    expect((await blob.arrayBuffer()).byteLength).toBe(size);
  });

  test('creates one post when the commit is sent repeatedly and concurrently', async () => {
    const publishJob = job({ post_id: 'twice', text: 'Once #only' });
    const before = await countPosts();
    const { checkpoints, post } = await publish(publishJob);
    const from = checkpoints.at(-2)!;
    const again = await Promise.all([publish(publishJob, { from }), publish(publishJob, { from })]);
    expect(again.map(one => one.post.platform_post_id)).toEqual([
      post.platform_post_id,
      post.platform_post_id,
    ]);
    expect(await countPosts()).toBe(before + 1);
  });

  test('reconciles a commit whose response was lost', async () => {
    const publishJob = job({ post_id: 'lost', text: 'Lost and found' });
    const find = () => reconcile(publisher, publishJob, publisher.start(publishJob), 5, options());
    expect(await find()).toEqual({ type: 'absent' });
    const { post } = await publish(publishJob);
    expect(await find()).toEqual({ type: 'published', post: { ...post, published_at: 5 } });
  });

  test('uses the next record key when another record has its key', async () => {
    const publishJob = job({ post_id: 'taken', text: 'second' });
    await publish(job({ post_id: 'taken', text: 'first' }));
    await publish(publishJob);
    expect(await recordOf(publishJob)).toMatchObject({ text: 'first' });
    expect(await recordOf(publishJob, 1)).toMatchObject({ text: 'second' });
  });

  test("fails for good with the server's message when the server rejects the post", async () => {
    await expect(publish(job({ post_id: 'long', text: 'a'.repeat(301) }))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
      message: /grapheme too big/,
    });
  });

  test('refreshes a session, logs in again when it has expired, and revokes it', async () => {
    const renew = (credentials: JsonObject) =>
      connector.renew!(connectedAccount(grant, { credentials }), context());
    const { credentials: renewed } = await renew({});
    await publish(job({ post_id: 'renewed', text: 'Renewed' }), { credentials: renewed });
    const bad = publish(job({ post_id: 'bad' }), { credentials: { ...renewed, access_token: 'bad' } });
    await expect(bad).rejects.toMatchObject({ kind: 'token_expired' });

    const relogged = await renew({ ...renewed, refresh_token: 'dead' });
    // Two logins within a second may return the same access token, but the session is a new one.
    const last = relogged.credentials;
    expect(last['refresh_token']).not.toBe(renewed['refresh_token']);
    await connector.revoke!(connectedAccount(grant, { credentials: last }), context());
    const revoked = { ...last, app_password: 'aaaa-aaaa-aaaa-aaaa' };
    await expect(renew(revoked)).rejects.toMatchObject({ kind: 'token_expired' });
  });
});
