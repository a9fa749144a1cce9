import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { loadedAtStart, totalOf, type Sizes } from '../test/support/bundle-contents.ts';
import { bundleFunctions, functionNames } from './bundle.ts';

let bundles: ReadonlyMap<string, Metafile>;

beforeAll(() => {
  bundles = bundleFunctions();
}, 120_000);

/** Kilobytes that a function may load at its start. Two hundred are the client of the table. */
const LIMIT_KB = 360;
/** Those of functions that know the rules of the platforms, or schedule. docs/architecture.md says what for. */
const LIMITS_KB: Readonly<Record<string, number>> = {
  ai: 700,
  analytics: 620,
  'broadcast-controller': 690,
  broadcasts: 710,
  dispatcher: 590,
  housekeeper: 675,
  insights: 515,
  integrations: 730,
  'media-importer': 590,
  posts: 800,
  profiles: 570,
  publisher: 780,
  queue: 420,
  sweeper: 600,
  uploads: 655,
  workspace: 700,
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
};

const startOf = (name: string): Sizes => loadedAtStart(bundles.get(name)!);

describe('a function', () => {
  test.each(functionNames())('loads no more at its start than its limit: %s', name => {
    const kB = totalOf(startOf(name)) / 1000;
    expect(kB).toBeLessThan(LIMITS_KB[name] ?? LIMIT_KB);
  });

  test.each(Object.entries(AT_START))('loads %s at its start in these alone: %j', (library, functions) => {
    expect(functionNames().filter(name => startOf(name).has(library))).toEqual(functions);
  });
});
