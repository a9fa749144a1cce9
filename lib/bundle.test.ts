import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadedAtStart, readMetafile, totalOf, type Sizes } from '../test/support/bundle-contents.ts';
import { bundleAll } from './bundle-all.ts';
import { functionNames } from './bundle.ts';

beforeAll(() => bundleAll());

/** Kilobytes that a function may load at its start. Two hundred are the client of the table. */
const LIMIT_KB = 360;
/** Those of functions that know the rules of the platforms, or schedule. docs/architecture.md says what for. */
const LIMITS_KB: Readonly<Record<string, number>> = {
  ai: 692,
  analytics: 614,
  'broadcast-controller': 551,
  broadcasts: 573,
  dispatcher: 584,
  housekeeper: 670,
  insights: 640,
  integrations: 620,
  'media-importer': 581,
  posts: 795,
  profiles: 561,
  publisher: 765,
  queue: 409,
  sweeper: 593,
  uploads: 646,
  workspace: 568,
};

/** Packages that are loaded at the start of these functions only; of others when a request needs them, or never. */
const AT_START: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-bedrock-runtime': ['ai'],
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
  'twitter-text': [
    'ai',
    'analytics',
    'dispatcher',
    'housekeeper',
    'insights',
    'media-importer',
    'posts',
    'profiles',
    'publisher',
    'sweeper',
    'uploads',
  ],
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
