import { createHmac, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type Json, type StackOptions, type TestStack } from './stack.ts';

/** A post that is live on a sandbox platform. */
export interface LivePost {
  platform: string;
  platform_post_id: string;
  platform_post_url: string | null;
  kind: string;
  /** Null where it shows none: a story, a draft. */
  text: string | null;
  media: { sha256?: string; type: string; width?: number; height?: number }[];
  comments: { text: string }[];
  fields: Json;
  published_at: string;
}

export interface Received {
  event: string;
  id: string;
  data: Json;
  /** The received signature, and the one expected for the raw body. */
  signature: string | undefined;
  expected: string;
}

export interface Receiver {
  secret: string;
  events: () => Promise<Received[]>;
}

/** Poll interval: short enough to be fast, long enough for the rate limit. */
export const POLL_MS = 150;

/** Stops a stack. With TRAFFIC_OUT, appends its requests to platforms to that file first. */
export async function closeStack(stack: TestStack, signal?: NodeJS.Signals): Promise<void> {
  const file = process.env['TRAFFIC_OUT'];
  try {
    if (file) appendFileSync(file, await trafficText(stack));
  } finally {
    await stack.close(signal);
  }
}

/** Starts a stack with a webhook for all events. */
export async function startObserved(options?: StackOptions): Promise<{ stack: TestStack; hook: Receiver }> {
  const stack = await startStack(options);
  return { stack, hook: await listen(stack, 'observer') };
}

/** Registers a webhook at one of the sandbox's receivers. */
export async function listen(stack: TestStack, name: string): Promise<Receiver> {
  const made = await stack.api('POST', '/webhooks', { url: `${stack.sandbox_url}/_receiver/${name}` });
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
  const secret: string = made.body.signing_secret;
  return {
    secret,
    events: async () => {
      const { body } = await stack.control('GET', `/_control/receiver/${name}`);
      return body.deliveries.map((delivery: Json) => received(delivery, secret));
    },
  };
}

function received({ headers, body_base64 }: Json, secret: string): Received {
  const raw = Buffer.from(body_base64, 'base64');
  return {
    ...JSON.parse(raw.toString()),
    signature: headers['x-service-signature'],
    expected: createHmac('sha256', secret).update(raw).digest('hex'),
  };
}

/** Responses of a machine that is too busy for the time limit of a request, and of its repetition. */
const BUSY = [503, 409];

/**
 * Creates a post of the Demo profile and returns its id, repeating the request with its key as clients do. Throws unless it
 * is accepted.
 */
export function create(stack: TestStack, body: Json): Promise<string> {
  const headers = { 'idempotency-key': randomUUID() };
  return eventually('the post is created', 300_000, async () => {
    const post = { profile_name: 'Demo', post_type: 'text', ...body };
    const response = await stack.api('POST', '/posts', post, headers);
    if (response.status === 201) return response.body.post_id;
    if (BUSY.includes(response.status)) return null;
    throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  });
}

export const read = (stack: TestStack, postId: string): Promise<Json> =>
  readPatiently(stack, 'GET', `/posts/${postId}`);

/** Responses to a request that reads: the machine is too busy, or the rate limit is reached. */
const READ_AGAIN = [429, 503];

/** Sends a request that changes nothing until it is answered. */
export const readPatiently = (stack: TestStack, method: string, path: string, body?: Json): Promise<Json> =>
  eventually(`${method} ${path} is answered`, 300_000, async () => {
    const answer = await stack.api(method, path, body);
    return READ_AGAIN.includes(answer.status) ? null : answer.body;
  });

export const isFinal = ({ status }: Json) => status === 'published' || status === 'failed';

/** Waits until all destinations of a post are final and returns it. */
export async function finalPost(stack: TestStack, postId: string): Promise<Json> {
  return eventually(`post ${postId} is final`, 300_000, async () => {
    const post = await read(stack, postId);
    return post.destinations.every(isFinal) ? post : null;
  });
}

/** Advances the clock until the post is final on all platforms, and returns it. */
export async function finishedPost(stack: TestStack, postId: string): Promise<Json> {
  return eventually(`post ${postId} is final`, 300_000, async () => {
    const post = await read(stack, postId);
    if (post.destinations.every(isFinal)) return post;
    await stack.advance(10);
    return null;
  });
}

/** Polls until the result is not null and returns it. Throws an error with `what` after the limit. */
export async function eventually<T>(
  what: string,
  limitMs: number,
  poll: () => Promise<T | null>,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const found = await poll();
    if (found !== null) return found;
    if (performance.now() > limit) throw new Error(`Timed out after ${limitMs / 1000} s: ${what}`);
    await sleep(POLL_MS);
  }
}

/** Returns the live posts with this text, on one platform or on all. */
export async function liveWith(stack: TestStack, text: string, platform?: string): Promise<LivePost[]> {
  const posts = await livePosts(stack);
  return posts.filter(post => post.text === text && (platform ?? post.platform) === post.platform);
}

/** Returns all live posts. */
export const livePosts = async (stack: TestStack): Promise<LivePost[]> =>
  (await stack.control<{ items: LivePost[] }>('GET', '/_control/published')).body.items;

export interface TrafficLine {
  seq: number;
  platform: string;
  method: string;
  url: string;
  body: Json;
  status: number | null;
}

/** Returns the requests to platforms since a sequence number or a time (ISO 8601): of all functions, or of those whose name has this part. */
export async function traffic(
  stack: TestStack,
  since: number | string = 0,
  functionName = '',
): Promise<TrafficLine[]> {
  const text = await trafficText(stack, since, functionName);
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as TrafficLine);
}

export async function lastSeq(stack: TestStack): Promise<number> {
  return (await traffic(stack)).at(-1)?.seq ?? 0;
}

export const media = (stack: TestStack, name: string) => `${stack.sandbox_url}/_media/${name}`;

async function trafficText(stack: TestStack, since: number | string = 0, functionName = ''): Promise<string> {
  const url = `${stack.sandbox_url}/_control/traffic?since=${since}&function=${functionName}`;
  return (await fetch(url)).text();
}
