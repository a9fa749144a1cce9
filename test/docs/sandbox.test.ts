import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { startSandbox, type Sandbox } from '../../local/sandbox/index.ts';

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
const recipes = [...page.matchAll(/^\| ([^|]+?) +\| `(\/\w+)` +\| `([^`]+)` +\|$/gm)].map(
  ([, event = '', path = '', body = '']) => ({ event, path, body }),
);

let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox({ port: 0, now: Date.now })));
afterAll(() => sandbox.close());

test('docs/sandbox.md has a recipe for each kind of control', () => {
  expect(new Set(recipes.map(({ path }) => path))).toEqual(
    new Set(['/faults', '/tokens', '/processing', '/metrics']),
  );
});

test.each(recipes)('$event: the control API accepts the body', async ({ path, body }) => {
  const answer = await fetch(`${sandbox.url}/_control${path}`, { method: 'POST', body });
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 });
});

test.each(['/_control/demo', '/_control/published', '/_control/traffic', '/_media/photo.jpg', '/receivers'])(
  'the sandbox has %s',
  async path => {
    expect((await fetch(`${sandbox.url}${path}`)).status).toBe(200);
  },
);
