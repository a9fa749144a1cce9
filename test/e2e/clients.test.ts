import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeStack, finalPost } from '../support/e2e.ts';
import { ROOT } from '../support/import-graph.ts';
import { sampleFiles } from '../support/media.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { testWith } from '../support/tools.ts';

/** The snippets of docs/clients.md, run as they are printed against a local stack. */

const TEST_MS = 600_000;
const MODULES = join(ROOT, 'node_modules');
const page = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
const snippets = (language: string) =>
  [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code!);

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
let stack: TestStack;
beforeAll(async () => {
  stack = await sharedStack();
}, TEST_MS);
afterAll(async () => {
  await closeStack(stack);
  rmSync(folder, { recursive: true });
});

/** Runs a program with the variables that the snippets read, and returns what it prints. */
async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, BASE_URL: stack.base_url, API_KEY: stack.api_key };
  return (await promisify(execFile)(command, args, { cwd: folder, env })).stdout.trim();
}

/** Bundles a TypeScript snippet with the packages of this project, and runs it. */
async function runTypeScript(code: string): Promise<string> {
  const outfile = join(folder, 'snippet.mjs');
  await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    nodePaths: [MODULES],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return run(process.execPath, outfile);
}

/** Waits for a post and expects it to be live on these platforms. */
async function expectPublished(postId: string, platforms: readonly string[]): Promise<void> {
  const { destinations } = await finalPost(stack, postId);
  const outcomes = destinations.map(({ platform, status }: Json) => [platform, status]);
  expect(outcomes.toSorted()).toEqual(platforms.toSorted().map(platform => [platform, 'published']));
}

const platformsIn = (code: string) => [...code.matchAll(/platforms"?: \[([^\]]*)\]/g)][0]![1]!.match(/\w+/g)!;

test(
  'openapi-fetch publishes a text',
  async () => {
    const [code = ''] = snippets('ts');
    await expectPublished(await runTypeScript(code), platformsIn(code));
  },
  TEST_MS,
);

test(
  'the client of @hey-api/openapi-ts uploads a video and publishes it',
  async () => {
    const [, code = ''] = snippets('ts');
    const document = join(ROOT, 'docs/openapi.json');
    const generator = join(MODULES, '@hey-api/openapi-ts/bin/run.js');
    await run(process.execPath, generator, '-i', document, '-o', 'client', '-c', '@hey-api/client-fetch');
    writeFileSync(join(folder, 'video.mp4'), (await sampleFiles())('clip.mp4'));
    const video = `import { readFileSync } from 'node:fs';\nconst video = readFileSync('video.mp4');\n`;
    await expectPublished(await runTypeScript(video + code), platformsIn(code));
  },
  TEST_MS,
);

testWith('python3')(
  'Python publishes a text',
  async () => {
    const [code = ''] = snippets('python');
    await expectPublished(await run('python3', '-c', code), platformsIn(code));
  },
  TEST_MS,
);

test(
  'the request of n8n publishes a text',
  async () => {
    const body: Json = JSON.parse(snippets('json')[0]!);
    // n8n sends the header and the body as they are entered in the node.
    const answer = await stack.api('POST', '/posts', body);
    await expectPublished(answer.body.post_id, body.platforms);
  },
  TEST_MS,
);
