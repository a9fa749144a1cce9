import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeStack, create, POLL_MS } from '../support/e2e.ts';
import { connectedProfiles } from '../support/profiles.ts';
import { fairLead } from '../support/races.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

jest.setTimeout(400_000);

/**
 * Races of each kind. Each takes about half a second over the whole stack, so that by default there are few: RACES=200
 * asks for as many as the tests of the routes run on the table alone (`functions/posts/lifecycle`, `delete`).
 */
const RACES = Number(process.env['RACES'] ?? 40);
/** The posts of one kind of race are due one after the other, this far apart. */
const APART_MS = 200;
/** When the first of them is due, from when it is made; the clock is then moved close to that. */
const AHEAD_MS = 3_600_000;
const CLOSE_MS = 10_000;
/** How much earlier the next request comes after one that came too late, at least. */
const STEP_MS = 40;
/** A request comes no earlier than this before its post is due. */
const EARLIEST_MS = 5000;
const LOOK_MS = 5;
/** Posts of an account in a day: every fortieth race takes the next profile. */
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

const now = async () => Date.parse((await stack.local('GET', '/_local/clock')).body.now);
const inFuture = async (ms: number) => new Date((await now()) + ms).toISOString();

/** The texts of everything that is live, with the platforms that show them. */
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

/** All posts by their ids, once each has an outcome; page by page, as one request a post would exceed the rate. */
async function outcomes(): Promise<Map<string, Json>> {
  // X takes a hundred posts of a user in a quarter of an hour: the rest wait for the next.
  await stack.advance(960);
  return stack.until(
    'every post has an outcome',
    async () => {
      const posts = new Map<string, Json>();
      let cursor = '';
      do {
        const { status, body } = await stack.api('GET', `/posts?limit=100${cursor}`);
        if (status !== 200) return null;
        for (const post of body.data) posts.set(post.post_id, post);
        cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
      } while (cursor !== '');
      await sleep(POLL_MS);
      return [...posts.values()].some(({ status }) => IN_FLIGHT.includes(status)) ? null : posts;
    },
    60_000,
  );
}

interface Race {
  text: string;
  id: string;
  status: number;
  body: Json;
}

/**
 * Lets a request meet the firing of a post, `RACES` times. The moment of the request follows the last winner, so that
 * either side wins many: after a request that came too late the next one comes earlier.
 */
async function races(
  kind: string,
  firstProfile: number,
  ask: (id: string, text: string) => Promise<{ status: number; body: Json }>,
): Promise<Race[]> {
  const first = (await now()) + AHEAD_MS;
  const posts: { id: string; text: string; due: number }[] = [];
  for (let race = 0; race < RACES; race += 1) {
    const text = `${kind} race ${race} ${crypto.randomUUID()}`;
    const due = first + race * APART_MS;
    const id = await create(stack, {
      profile_name: `Racer ${firstProfile + Math.floor(race / PER_PROFILE)}`,
      platforms: PLATFORMS,
      description: text,
      scheduled_date: new Date(due).toISOString(),
    });
    posts.push({ id, text, due });
  }
  await stack.advance((first - CLOSE_MS - (await now())) / 1000);
  const ahead = (await now()) - Date.now();
  const lead = fairLead(STEP_MS, 4 * STEP_MS);
  const run = await Promise.all(
    posts.map(async ({ id, text, due }) => {
      const left = () => due - ahead - Date.now();
      await sleep(left() - EARLIEST_MS);
      while (left() > lead.ms()) await sleep(LOOK_MS);
      const { status, body } = await ask(id, text);
      lead.tell(status < 300);
      return { id, text, status, body };
    }),
  );
  // Races that one side always wins show nothing.
  const won = run.filter(({ status }) => status < 300).length;
  console.log(`${kind}: the request won ${won} of ${RACES} races`);
  expect(won).toBeGreaterThan(RACES / 20);
  expect(won).toBeLessThan((RACES * 19) / 20);
  return run;
}

describe('over the whole stack', () => {
  test(`a delete that races with the firing has one winner, ${RACES} times`, async () => {
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

  test(`an edit that races with the firing is whole or refused, ${RACES} times`, async () => {
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

  test('posts that have fired leave no schedule behind, nor do those that were deleted or edited', async () => {
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

  test('validating and retrying are answered by their own routes', async () => {
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
    // The races may have used up X's quarter of an hour.
    await stack.advance(960);
    const text = `Retry ${Math.random()}`;
    const id = await create(stack, { platforms: ['x'], description: text });
    await stack.until('the post fails', async () => (await read(id)).body.status === 'failed');
    expect((await stack.api('POST', `/posts/${id}/retry`)).status).toBe(202);
    await stack.until('the second try is live', async () => (await read(id)).body.status === 'published');
    expect((await liveTexts()).get(text)).toEqual(['x']);
  });
});
