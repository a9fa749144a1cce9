import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, isFinal, listen, liveWith } from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';
import { copyWithThirteenthPlatform, type ProjectCopy } from '../support/thirteenth/project.ts';

/*
 * A platform is one folder and one line: adds one to a copy of the project, generates the registry, and publishes to it
 * through the whole stack.
 */

const START_MS = 600_000;
const TEST_MS = 600_000;

let project: ProjectCopy;
let stack: TestStack;
beforeAll(async () => {
  project = copyWithThirteenthPlatform();
  await project.run('bin/registry.ts');
  stack = await startStack({ root: project.root });
}, START_MS);
afterAll(async () => {
  await stack.close();
  project.remove();
});

/** Calls the API of the copy, whose OpenAPI document this project does not know. */
async function api(method: string, path: string, body?: Json): Promise<{ status: number; body: Json }> {
  const response = await fetch(stack.base_url + path, {
    method,
    headers: { authorization: `Bearer ${stack.api_key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const post = (fields: Json) =>
  api('POST', '/posts', {
    profile_name: 'Demo',
    post_type: 'text',
    platforms: ['noticeboard'],
    ...fields,
  });

test(
  'the folder compiles',
  async () => {
    const config = { extends: './tsconfig.json', include: ['shared/platforms/noticeboard'] };
    writeFileSync(join(project.root, 'tsconfig.noticeboard.json'), JSON.stringify(config));
    await project.run('node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.noticeboard.json');
  },
  TEST_MS,
);

test(
  'a post is published, followed up and announced',
  async () => {
    const receiver = await listen(stack, 'thirteenth');
    const description = 'A notice for the thirteenth platform';
    const created = await post({ description, noticeboard_section: '2', noticeboard_pin: true });
    expect(created).toMatchObject({ status: 201, body: { warnings: [] } });

    const record = await eventually('the post and its follow-up are done', 300_000, async () => {
      const { body } = await api('GET', `/posts/${created.body.post_id}`);
      const [destination] = body.destinations;
      const isDone =
        isFinal(destination) && destination.follow_ups.every((each: Json) => each.status !== 'pending');
      return isDone ? body : null;
    });
    const [live] = await liveWith(stack, description, 'noticeboard');
    expect(record).toMatchObject({
      status: 'published',
      destinations: [
        {
          platform_post_id: live!.platform_post_id,
          platform_post_url: live!.platform_post_url,
          follow_ups: [{ name: 'pin', status: 'done', error: null }],
        },
      ],
    });
    expect(live!.fields).toMatchObject({ section: '2' });

    const [event] = await eventually('the event has arrived', 300_000, async () => {
      const events = await receiver.events();
      return events.length > 0 ? events : null;
    });
    expect(event).toMatchObject({
      event: 'post.published',
      signature: event!.expected,
      data: { platform: 'noticeboard', platform_post_id: live!.platform_post_id },
    });
  },
  TEST_MS,
);

test('validation, lookups, accounts and the OpenAPI document know it', async () => {
  expect(await post({ description: 'a'.repeat(201) })).toMatchObject({
    status: 400,
    body: { details: [{ platform: 'noticeboard', message: expect.stringContaining('200') }] },
  });
  expect(await api('GET', '/integrations/noticeboard/sections?profile_name=Demo')).toMatchObject({
    status: 200,
    body: { sections: [{ id: '1', name: 'News' }, { id: '2' }] },
  });
  const { body } = await api('GET', '/integrations');
  expect(body.accounts.map((account: Json) => account.platform)).toContain('noticeboard');
  expect(JSON.stringify((await api('GET', '/openapi.json')).body)).toContain('noticeboard_pin');
});
