import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPds, whyNoPds, type Pds } from '../support/pds.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { TestStack } from '../support/stack.ts';

const missing = whyNoPds();
if (missing !== null) process.stdout.write(`Skipped test/e2e/pds.test.ts. ${missing}\n`);

interface Connected {
  account: { platform_user_id: string };
}

interface Post {
  status: string;
  destinations: { platform_post_id: string; platform_post_url: string }[];
}

interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: { $type: string; uri?: string; tag?: string; did?: string }[];
}

interface PostRecord {
  text: string;
  facets?: Facet[];
  embed?: { images: { alt: string; image: { ref: { $link: string }; mimeType: string; size: number } }[] };
}

/** Publishes through the whole stack to the real Bluesky server software. */
(missing === null ? describe : describe.skip)('a post to a real Bluesky server', () => {
  let stack: TestStack;
  let pds: Pds;
  let did: string;

  beforeAll(async () => {
    [stack, pds] = await Promise.all([sharedStack([]), startPds()]);
    const login = await pds.createAccount('carol');
    await registerDid(login.identifier);
    await stack.api('POST', '/agency/profiles', { username: 'carol' });
    const connected = await stack.api<Connected>('POST', '/integrations/bluesky/connect', {
      profile_name: 'carol',
      ...login,
    });
    expect(connected.status).toBe(201);
    did = connected.body.account.platform_user_id;
  });

  afterAll(async () => {
    await stack.close();
    await pds.stop();
  });

  /** Lets the sandbox's DID directory answer for an account of the real server, whose directory is its own. */
  async function registerDid(handle: string): Promise<void> {
    const json = async (url: string) => (await fetch(url)).json() as Promise<Record<string, unknown>>;
    const resolved = await json(`${pds.url}/xrpc/com.atproto.identity.resolveHandle?handle=${handle}`);
    const document = await json(`${pds.plcUrl}/${String(resolved['did'])}`);
    await stack.control('POST', '/_control/faults', {
      platform: 'bluesky',
      path: `/${String(resolved['did'])}`,
      times: 0,
      respond: { status: 200, body: document },
    });
  }

  async function publish(post: Record<string, unknown>) {
    const made = await stack.api<{ post_id: string }>('POST', '/posts', {
      profile_name: 'carol',
      platforms: ['bluesky'],
      ...post,
    });
    expect(made.status).toBe(201);
    return stack.until('the post is published', async () => {
      const { body } = await stack.api<Post>('GET', `/posts/${made.body.post_id}`);
      return body.status === 'published' ? body.destinations[0]! : null;
    });
  }

  async function recordAt(uri: string): Promise<PostRecord> {
    const [repo, collection, rkey] = uri.replace('at://', '').split('/');
    const query = new URLSearchParams({ repo: repo!, collection: collection!, rkey: rkey! });
    const answer = await fetch(`${pds.url}/xrpc/com.atproto.repo.getRecord?${query.toString()}`);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { value: PostRecord }).value;
  }

  test('has links, tags and mentions at their exact byte ranges', async () => {
    const text = '🔗 https://example.com/a #café with @carol.test';
    const live = await publish({ post_type: 'text', description: text });
    expect(live.platform_post_url).toBe(
      `https://bsky.app/profile/carol.test/post/${live.platform_post_id.split('/').at(-1)}`,
    );
    const record = await recordAt(live.platform_post_id);
    expect(record.text).toBe(text);
    const bytes = Buffer.from(record.text);
    const annotated = record.facets!.map(({ index, features }) => [
      bytes.subarray(index.byteStart, index.byteEnd).toString(),
      features[0]!.uri ?? features[0]!.tag ?? features[0]!.did,
    ]);
    expect(annotated).toEqual([
      ['https://example.com/a', 'https://example.com/a'],
      ['#café', 'café'],
      ['@carol.test', did],
    ]);
  });

  test('has its image and alt text', async () => {
    const live = await publish({
      post_type: 'image',
      description: 'An image',
      media_urls: [`${stack.sandbox_url}/_media/photo.jpg`],
      bluesky_alt_text: 'Hills at dusk',
    });
    const [image] = (await recordAt(live.platform_post_id)).embed!.images;
    expect(image).toMatchObject({ alt: 'Hills at dusk', image: { mimeType: 'image/jpeg' } });

    const query = new URLSearchParams({ did, cid: image!.image.ref.$link });
    const blob = await fetch(`${pds.url}/xrpc/com.atproto.sync.getBlob?${query.toString()}`);
    const sent = await fetch(`${stack.sandbox_url}/_media/photo.jpg`);
    expect(Buffer.from(await blob.arrayBuffer()).equals(Buffer.from(await sent.arrayBuffer()))).toBe(true);
  });
});
