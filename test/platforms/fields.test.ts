import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import {
  closeStack,
  create,
  eventually,
  isFinal,
  lastSeq,
  livePosts,
  media,
  read,
  traffic,
} from '../support/e2e.ts';
import { testOrigin, type TestOrigin } from '../support/origin.ts';
import { connectAs } from '../support/profiles.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { verticalClip } from '../support/vertical-clip.ts';
import { WIRE_POSTS, wireBody, type WirePost } from '../support/wire-fields.ts';

/* Every field of every platform, from the API through the whole stack to what the platform recorded. */

const START_MS = 600_000;
const SRT = '1\n00:00:01,000 --> 00:00:02,000\nWords for deaf viewers\n';

let stack: TestStack;
let origin: TestOrigin;
/** What was recorded of each post, by platform: its destination, the live post, and the requests to the platform. */
let recorded: Map<WirePost, Map<string, string>>;

beforeAll(async () => {
  const files = new Map([
    ['/square.png', await noise(700)],
    ['/vertical.mp4', await verticalClip(7)],
    ['/captions.srt', Buffer.from(SRT)],
  ]);
  origin = await testOrigin(({ url = '' }, response) => {
    const bytes = files.get(url);
    response.writeHead(bytes ? 200 : 404, { 'content-length': bytes?.length ?? 0 }).end(bytes);
  });
  stack = await sharedStack();
  // Accounts with several pages and locations: the fields choose one.
  await connectAs(stack, 'Demo', 'facebook', 'demo_pages');
  await connectAs(stack, 'Demo', 'gbp', 'demo_many');
  recorded = await publishAll();
}, START_MS);
afterAll(async () => {
  await origin.close();
  await closeStack(stack);
}, START_MS);

/** A picture that cannot be compressed: some platforms refuse small files. */
function noise(side: number): Promise<Buffer> {
  const create = { width: side, height: side, channels: 3, background: 'white' } as const;
  return sharp({ create: { ...create, noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
    .png()
    .toBuffer();
}

async function publishAll(): Promise<Map<WirePost, Map<string, string>>> {
  const since = await lastSeq(stack);
  const urls = {
    photo: media(stack, 'photo.jpg'),
    clip: media(stack, 'clip.mp4'),
    square: `${origin.url}/square.png`,
    vertical: `${origin.url}/vertical.mp4`,
    captions: `${origin.url}/captions.srt`,
  };
  const ids = new Map<WirePost, string>();
  for (const [index, post] of WIRE_POSTS.entries()) {
    const body = {
      title: `Title ${index}`,
      description: `Words for all, no ${index}`,
      ...wireBody(post, urls),
    };
    ids.set(post, await create(stack, body));
  }
  const posts = await Promise.all([...ids].map(async ([post, id]) => [post, await settled(id)] as const));
  const [live, requests] = [await livePosts(stack), await traffic(stack, since)];
  const ofDestination = ({ platform, platform_post_id, ...more }: Json): [string, string] => {
    const isOurs = (each: Json) => each.platform === platform && each.platform_post_id === platform_post_id;
    const restrictions = requests.filter(({ url }) => url.endsWith('part=contentDetails'));
    const own = restrictions.filter(({ body }) => body?.id === platform_post_id);
    return [platform, plain([more, platform_post_id, live.filter(isOurs), own])];
  };
  return new Map(posts.map(([post, { destinations }]) => [post, new Map(destinations.map(ofDestination))]));
}

/** Advances the clock until the post is final on all platforms, and so is what follows it. */
const settled = (id: string): Promise<Json> =>
  eventually(`post ${id} is settled`, 300_000, async () => {
    const post = await read(stack, id);
    const isDone = (each: Json) =>
      isFinal(each) && each.follow_ups.every(({ status }: Json) => status !== 'pending');
    if (post.destinations.every(isDone)) return post;
    await stack.advance(10);
    return null;
  });

/** JSON without quotation marks and their escapes, as forms have JSON in strings. */
const plain = (value: Json) => JSON.stringify(value).replaceAll(/["\\]/g, '');

const CASES = WIRE_POSTS.flatMap(post =>
  Object.entries(post.fields).flatMap(([platform, rows]) =>
    rows.map(([field, , onWire]) => ({ name: `${field} of type ${post.post_type}`, post, platform, onWire })),
  ),
);

test.each(CASES)('$name reaches its platform', ({ post, platform, onWire }) => {
  expect(recorded.get(post)?.get(platform)).toContain(onWire);
});

test('no field is left out', () => {
  const shown = WIRE_POSTS.flatMap(({ fields }) => Object.values(fields).flat()).map(([field]) => field);
  const all = Object.values(RULES).flatMap(({ options }) => Object.keys(options));
  expect(all.filter(field => !shown.includes(field))).toEqual([]);
});
