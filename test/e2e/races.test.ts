import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeStack, create, isFinal, POLL_MS } from '../support/e2e.ts';
import { connectedProfiles } from '../support/profiles.ts';
import { fairLead, type Lead } from '../support/races.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

jest.setTimeout(400_000);

/**
 * Races of each kind. Each takes about half a second over the whole stack, so the default is low: RACES=200 runs as many
 * as the tests of the routes do on the table alone (`functions/posts/lifecycle`, `delete`).
 */
const RACES = Number(process.env['RACES'] ?? 40);
/** Posts whose requests may be on their way at the same time: too many, and a slow stack tells too late who won. */
const ROUND = 20;
/** Time between the due times of consecutive posts. */
const APART_MS = 200;
/** Time between creation and due time of the first post; the clock is then advanced close to it. */
const AHEAD_MS = 3_600_000;
/** Time between that advance and the first request. */
const CLOSE_MS = 3_000;
/** Minimum step by which the next request is sent earlier after one that lost. */
const STEP_MS = 40;
/** A request is sent at most this long before its post is due. */
const EARLIEST_MS = 15_000;
const SPIN_MS = 5;
/** Posts of a profile, within the daily cap of its accounts. */
const PER_PROFILE = 40;
const PROFILES = Math.ceil(RACES / PER_PROFILE);
const PLATFORMS = ['x', 'bluesky'];

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack();
  const names = Array.from({ length: 2 * PROFILES }, (_, index) => `Racer ${index}`);
  await connectedProfiles(stack, names, PLATFORMS);
});
afterAll(() => closeStack(stack));

const inFuture = async (ms: number) => new Date((await stack.now()) + ms).toISOString();

/** Returns the platforms on which each text is live. */
async function liveTexts(): Promise<Map<string, string[]>> {
  const { body } = await stack.control('GET', '/_control/published');
  const texts = new Map<string, string[]>();
  for (const { text, platform } of body.items as { text: string; platform: string }[]) {
    texts.set(text, [...(texts.get(text) ?? []), platform].sort());
  }
  return texts;
}

const read = (id: string) => stack.api('GET', `/posts/${id}`);
const IN_FLIGHT = ['scheduled', 'queued', 'publishing'];

/** Returns all posts; page by page, to stay within the rate limit. Null where it is exceeded. */
async function allPosts(): Promise<Json[] | null> {
  const posts: Json[] = [];
  let cursor = '';
  do {
    const { status, body } = await stack.api('GET', `/posts?limit=100${cursor}`);
    if (status !== 200) return null;
    posts.push(...body.data);
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  await sleep(POLL_MS);
  return posts;
}

const isAtRest = (destination: Json) => isFinal(destination) || destination.status === 'retrying';

/** Waits until every post is final and returns them by id. */
async function outcomes(): Promise<Map<string, Json>> {
  // A worker under which the clock jumps has lost its lease, and its message comes back minutes later.
  await stack.until('no delivery is running', async () => {
    const posts = await allPosts();
    return posts?.every(({ destinations }) => destinations.every(isAtRest)) === true;
  });
  // X accepts a hundred posts of a user in 15 minutes: the others wait for the next window.
  await stack.advance(960);
  return stack.until('every post has an outcome', async () => {
    const posts = await allPosts();
    if (!posts || posts.some(({ status }) => IN_FLIGHT.includes(status))) return null;
    return new Map(posts.map(post => [post.post_id, post]));
  });
}

interface Race {
  text: string;
  id: string;
  status: number;
  body: Json;
}

type Ask = (id: string, text: string) => Promise<{ status: number; body: Json }>;

/**
 * Sends a request while a scheduled post becomes due, `RACES` times, in rounds. After a request that lost, the next one is
 * sent earlier, and later after one that won, so that both sides win often.
 */
async function races(kind: string, firstProfile: number, ask: Ask): Promise<Race[]> {
  const lead = fairLead(STEP_MS, 16 * STEP_MS);
  const run: Race[] = [];
  while (run.length < RACES) {
    const profile = `Racer ${firstProfile + Math.floor(run.length / PER_PROFILE)}`;
    run.push(...(await round(`${kind} race ${run.length}`, profile, lead, ask)));
  }
  // A race that one side always wins tests nothing.
  const won = run.filter(isWon).length;
  console.log(`${kind}: the request won ${won} of ${RACES} races`);
  expect(won).toBeGreaterThan(0);
  expect(won).toBeLessThan(RACES);
  return run;
}

const isWon = ({ status }: { status: number }) => status < 300;

/** Races of posts that become due shortly one after the other; their results set the lead of the next round. */
async function round(name: string, profile_name: string, lead: Lead, ask: Ask): Promise<Race[]> {
  const first = (await stack.now()) + AHEAD_MS;
  const posts: { id: string; text: string; due: number }[] = [];
  for (let race = 0; race < ROUND; race += 1) {
    const text = `${name}.${race} ${crypto.randomUUID()}`;
    const due = first + race * APART_MS;
    const scheduled_date = new Date(due).toISOString();
    const id = await create(stack, { profile_name, platforms: PLATFORMS, description: text, scheduled_date });
    posts.push({ id, text, due });
  }
  const start = first - CLOSE_MS - Math.min(Math.max(0, lead.ms()), EARLIEST_MS);
  await stack.advance((start - (await stack.now())) / 1000);
  const ahead = (await stack.now()) - Date.now();
  return Promise.all(
    posts.map(async ({ id, text, due }) => {
      const left = () => due - ahead - Date.now();
      while (left() > Math.min(lead.ms(), EARLIEST_MS)) await sleep(SPIN_MS);
      const { status, body } = await ask(id, text);
      lead.record(isWon({ status }));
      return { id, text, status, body };
    }),
  );
}

describe('over the whole stack', () => {
  test(`a delete that races with publishing has exactly one winner, ${RACES} times`, async () => {
    const run = await races('Delete', 0, id => stack.api('DELETE', `/posts/${id}`));
    const posts = await outcomes();
    for (const { id, status, body } of run) {
      if (status !== 204) expect([status, body.code]).toEqual([409, 'POST_NOT_DELETABLE']);
      expect(posts.get(id)?.status).toBe(status === 204 ? undefined : 'published');
    }
    expect((await read(run.find(({ status }) => status === 204)!.id)).status).toBe(404);
    const live = await liveTexts();
    for (const { text, status } of run)
      expect(live.get(text) ?? []).toEqual(status === 204 ? [] : ['bluesky', 'x']);
  });

  test(`an edit that races with publishing is applied completely or refused, ${RACES} times`, async () => {
    const run = await races('Edit', PROFILES, (id, text) =>
      stack.api('POST', `/posts/${id}`, { description: `new ${text}` }),
    );
    const posts = await outcomes();
    for (const { id, text, status, body } of run) {
      const edited = status === 200;
      if (!edited) expect([status, body.code]).toEqual([409, 'POST_NOT_EDITABLE']);
      expect(posts.get(id)).toMatchObject({
        status: 'published',
        description: edited ? `new ${text}` : text,
      });
    }
    const live = await liveTexts();
    const everywhere = ['bluesky', 'x'];
    for (const { text, status } of run) {
      expect([live.get(text) ?? [], live.get(`new ${text}`) ?? []]).toEqual(
        status === 200 ? [[], everywhere] : [everywhere, []],
      );
    }
  });

  test('no schedule is left of posts that were published, deleted or edited', async () => {
    const { body } = await stack.local('GET', '/_local/schedules');
    expect(JSON.stringify(body)).not.toMatch(/post-/);
  });

  test('deleted and rescheduled posts leave no schedule behind', async () => {
    const names = async () => {
      const { body } = await stack.local('GET', '/_local/schedules');
      return JSON.stringify(body);
    };
    const later = await create(stack, {
      platforms: ['x'],
      description: `Later ${Math.random()}`,
      scheduled_date: await inFuture(7_200_000),
    });
    expect(await names()).toContain(`post-${later}-1`);
    const moved = await stack.api('POST', `/posts/${later}`, { scheduled_date: await inFuture(9_000_000) });
    expect(moved.status).toBe(200);
    expect(await names()).not.toContain(`post-${later}-1`);
    expect(await names()).toContain(`post-${later}-2`);
    expect((await stack.api('DELETE', `/posts/${later}`)).status).toBe(204);
    expect(await names()).not.toContain(later);
  });

  test('validate and retry have their own routes', async () => {
    const found = await stack.api('POST', '/posts/validate', {
      profile_name: 'Demo',
      post_type: 'image',
      platforms: ['x', 'instagram'],
      media_urls: [`${stack.sandbox_url}/_media/photo.jpg`, `${stack.sandbox_url}/_media/photo.webp`],
    });
    expect(found).toMatchObject({
      status: 200,
      body: { valid: false, errors: [{ field: 'media_urls[1]', platform: 'instagram' }] },
    });

    const fault = { platform: 'x', method: 'POST', path: '/2/tweets' };
    const respond = {
      status: 403,
      headers: {},
      body: '{"detail":"not allowed","status":403,"title":"Forbidden"}',
    };
    await stack.control('POST', '/_control/faults', { ...fault, times: 1, respond });
    // The races may have used up X's limit of 15 minutes.
    await stack.advance(960);
    const text = `Retry ${Math.random()}`;
    const id = await create(stack, { platforms: ['x'], description: text });
    await stack.until('the post fails', async () => (await read(id)).body.status === 'failed');
    expect((await stack.api('POST', `/posts/${id}/retry`)).status).toBe(202);
    await stack.until('the retried post is live', async () => (await read(id)).body.status === 'published');
    expect((await liveTexts()).get(text)).toEqual(['x']);
  });
});
