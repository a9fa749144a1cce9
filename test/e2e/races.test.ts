import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeStack, create } from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

jest.setTimeout(240_000);

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => closeStack(stack));

const inFuture = async (seconds: number) => {
  const { body } = await stack.local('GET', '/_local/clock');
  return new Date(Date.parse(body.now) + seconds * 1000).toISOString();
};
const live = async (text: string): Promise<number> => {
  const { body } = await stack.control('GET', '/_control/published?platform=x');
  return body.items.filter((item: Json) => item.text.startsWith(text)).length;
};
const read = (id: string) => stack.api('GET', `/posts/${id}`);
const settled = (id: string) =>
  stack.until(`post ${id} settles`, async () => {
    const { body } = await read(id);
    return ['published', 'failed'].includes(body.status) ? body : null;
  });

describe('over the whole stack', () => {
  test('a delete that races with the firing has one winner', async () => {
    for (let race = 0; race < 6; race += 1) {
      const text = `Delete race ${race} ${Math.random()}`;
      const id = await create(stack, {
        platforms: ['x'],
        description: text,
        scheduled_date: await inFuture(3),
      });
      await sleep(2700 + race * 120);
      const deleted = await stack.api('DELETE', `/posts/${id}`);
      if (deleted.status === 204) {
        await sleep(2500);
        expect((await read(id)).status).toBe(404);
        expect(await live(text)).toBe(0);
      } else {
        expect(deleted).toMatchObject({ status: 409, body: { code: 'POST_NOT_DELETABLE' } });
        expect((await settled(id)).status).toBe('published');
        expect(await live(text)).toBe(1);
      }
    }
  });

  test('an edit that races with the firing is whole or refused', async () => {
    for (let race = 0; race < 6; race += 1) {
      const text = `Edit race ${race} ${Math.random()}`;
      const id = await create(stack, {
        platforms: ['x', 'bluesky'],
        description: text,
        scheduled_date: await inFuture(3),
      });
      await sleep(2500 + race * 120);
      const edited = await stack.api('POST', `/posts/${id}`, { description: `new ${text}` });
      const post = await settled(id);
      const isNew = edited.status === 200;
      if (!isNew) expect([400, 409]).toContain(edited.status);
      expect(post).toMatchObject({ status: 'published', description: isNew ? `new ${text}` : text });
      expect([await live(text), await live(`new ${text}`)]).toEqual(isNew ? [0, 1] : [1, 0]);
    }
  });

  test('deleted and rescheduled posts leave no schedule behind', async () => {
    const names = async () => {
      const { body } = await stack.local('GET', '/_local/schedules');
      return JSON.stringify(body);
    };
    const later = await create(stack, {
      platforms: ['x'],
      description: `Later ${Math.random()}`,
      scheduled_date: await inFuture(7200),
    });
    expect(await names()).toContain(`post-${later}-1`);
    const moved = await stack.api('POST', `/posts/${later}`, { scheduled_date: await inFuture(9000) });
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
    const text = `Retry ${Math.random()}`;
    const id = await create(stack, { platforms: ['x'], description: text });
    expect((await settled(id)).status).toBe('failed');
    expect((await stack.api('POST', `/posts/${id}/retry`)).status).toBe(202);
    await stack.until('the second try is live', async () => (await read(id)).body.status === 'published');
    expect(await live(text)).toBe(1);
  });
});
