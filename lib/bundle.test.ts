import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadedAtStart, readMetafile, totalOf, type Sizes } from '../test/support/bundle-contents.ts';
import { bundleAll } from './bundle-all.ts';
import { functionNames } from './bundle.ts';

beforeAll(() => bundleAll());

/** Kilobytes that a function may load at its start. Two hundred are the client of the table. */
const LIMIT_KB = 360;
/** Those of functions that know the rules of the platforms, or schedule. docs/architecture.md says what for. */
const LIMITS_KB: Readonly<Record<string, number>> = {
  ai: 375,
  broadcasts: 395,
  integrations: 410,
  posts: 600,
  profiles: 380,
  publisher: 460,
  queue: 410,
  uploads: 415,
  workspace: 390,
};

/** Packages that are loaded at the start of these functions only; of others when a request needs them, or never. */
const AT_START: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-bedrock-runtime': [],
  '@aws-sdk/client-ecs': ['broadcast-controller'],
  '@aws-sdk/client-lambda': [],
  '@aws-sdk/client-s3': [],
  '@aws-sdk/client-scheduler': [],
  '@aws-sdk/client-sqs': [],
  '@aws-sdk/client-ssm': ['key-ring'],
  '@aws-sdk/nested-clients': [],
  '@fastify/busboy': [],
  'core-js': [],
  'file-type': [],
  'image-size': [],
  mediabunny: [],
  htmlparser2: [],
  'temporal-polyfill': ['queue'],
  'twitter-text': ['posts'],
};

const startOf = (name: string): Sizes => loadedAtStart(readMetafile(name));

describe('a function', () => {
  test.each(functionNames())('loads no more at its start than its limit: %s', name => {
    const kB = totalOf(startOf(name)) / 1000;
    expect(kB).toBeLessThan(LIMITS_KB[name] ?? LIMIT_KB);
  });

  test.each(Object.entries(AT_START))('loads %s at its start in these alone: %j', (library, functions) => {
    expect(functionNames().filter(name => startOf(name).has(library))).toEqual(functions);
  });
});
