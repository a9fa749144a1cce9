import { readFileSync } from 'node:fs';
import { bundleAll } from '../../lib/bundle-all.ts';
import { stackFileBeside } from '../../local/ready.ts';
import { CDN_PATH } from '../../local/s3/cdn.ts';
import { REGION } from '../../local/template/names.ts';
import { ENV } from '../../shared/aws/env.ts';
import { CAPACITY } from '../../shared/delivery/load.ts';
import { PLATFORM_IDS, type PlatformId, type PostType } from '../../shared/model/platform.ts';
import { MB } from '../../shared/platforms/kit/sizes.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { PROCESSOR_MB } from '../support/burst.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { startPublisher, type PublisherProcess } from './memory/environment.ts';
import { startPictureHost, type PictureHost } from './memory/picture.ts';
import { demoPosts, type Posts } from './memory/posts.ts';
import { PLATFORM_MS, run } from './post-cost.ts';
import { less, type Measure } from './value.ts';

const SIZES_MB = [256, 512, 768, 1024, 2048];
/** Batches of texts before the measured ones, so that code is compiled. */
const WARM_BATCHES = 2;
const BATCHES = 2;
const PICTURE_ROUNDS = 2;
const VIDEO_BYTES = 200 * MB;
/** Takes texts in one invocation. */
const TEXT_PLATFORM = 'x';

/** Memory of the deployed bundle of the publishers, and what a delivery takes and costs with more or less of it. */
export const memory: Bench = {
  name: 'memory',
  summary:
    'peak memory of the publishers, with converted pictures of 20 MB, and the price of memory (--platform <id>)',
  isOptional: true,
  run: async ({ platform }) => {
    bundleAll();
    const host = await startPictureHost();
    try {
      return await onStack(async stack => {
        const posts = await demoPosts(stack);
        const lab = { stack, posts, host, environment: environmentOf(stack) };
        const results: Results[] = [];
        for (const each of PLATFORM_IDS.filter(id => (platform ?? id) === id)) {
          results.push({ title: `Peak memory of ${each}`, values: await peaksOf(lab, each) });
        }
        results.push(...(platform === undefined ? await priceOfMemory(lab) : []));
        posts.close();
        return results;
      });
    } finally {
      await host.close();
    }
  },
};

interface Lab {
  stack: TestStack;
  posts: Posts;
  host: PictureHost;
  environment: Readonly<Record<string, string>>;
}

/** Returns what the local Lambda sets for every function. */
function environmentOf({ readyFile, base_url, sandbox_url, aws }: TestStack): Record<string, string> {
  const { environment } = JSON.parse(readFileSync(stackFileBeside(readyFile), 'utf8')) as {
    environment: Record<string, string>;
  };
  return {
    ...environment,
    ...{ AWS_ENDPOINT_URL: aws.endpoint, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ AWS_REGION: REGION, TZ: 'UTC' },
    ...{ [ENV.mediaUrl]: new URL(CDN_PATH, base_url).href, SANDBOX_URL: sandbox_url, ALLOW_LOOPBACK: '1' },
  };
}

async function peaksOf(lab: Lab, platform: PlatformId): Promise<Record<string, Measure | string>> {
  const { text, image, video } = RULES[platform].post_types;
  const values: Record<string, Measure | string> = {};
  const measure = async (
    what: string,
    type: PostType,
    together: number,
    url: () => string | null,
    n: number,
  ) => {
    values[what] = await peakOf(lab, platform, { type, together, url, n });
  };
  if (text) await measure('ten texts', 'text', CAPACITY, () => null, 1);
  if (image) {
    await measure('one picture', 'image', 1, lab.host.newUrl, PICTURE_ROUNDS);
    await measure('two pictures', 'image', 2, lab.host.newUrl, PICTURE_ROUNDS);
  }
  if (video) {
    const bytes = Math.min(VIDEO_BYTES, RULES[platform].files.video?.max_bytes ?? VIDEO_BYTES);
    const url = () => `${lab.stack.sandbox_url}/_media/clip.mp4?bytes=${bytes}`;
    await measure(`a video of ${Math.floor(bytes / MB)} MB`, 'video', 1, url, 1);
  }
  return values;
}

interface Load {
  type: PostType;
  /** Posts of a batch, and batches. */
  together: number;
  n: number;
  url: () => string | null;
}

/** Returns the peak memory of a new environment that delivers these posts. */
async function peakOf(lab: Lab, platform: PlatformId, load: Load): Promise<Measure | string> {
  return withPublisher(lab, platform, async publisher => {
    for (let round = 0; round < load.n; round += 1) await deliver(lab, publisher, platform, load);
    const mib = publisher.peakMib();
    return mib === null ? 'unknown' : less(mib, 'MiB');
  });
}

async function withPublisher<T>(
  { environment }: Lab,
  platform: PlatformId,
  act: (publisher: PublisherProcess) => Promise<T>,
): Promise<T> {
  const { memory_mb } = RULES[platform].worker;
  const publisher = await startPublisher({ ...environment, [ENV.platform]: platform }, memory_mb);
  try {
    return await act(publisher);
  } finally {
    await publisher.close();
  }
}

/** Delivers a batch. Returns its milliseconds of processor time. */
async function deliver(
  { posts }: Lab,
  publisher: PublisherProcess,
  platform: PlatformId,
  { type, together, url }: Load,
): Promise<number> {
  await posts.freeCaps();
  const weight = Math.floor(CAPACITY / together);
  const records = await Promise.all(
    Array.from({ length: together }, () => posts.store(platform, type, url(), weight)),
  );
  const spent = await publisher.handle(records);
  await posts.assertFine(records);
  return spent;
}

/** Returns the time and price of a text delivery with more or less memory, computed from its processor time. */
async function priceOfMemory(lab: Lab): Promise<Results[]> {
  const text = { type: 'text', url: () => null, n: 1 } as const;
  const [first, warm] = await withPublisher(lab, TEXT_PLATFORM, async publisher => {
    const batch = () => deliver(lab, publisher, TEXT_PLATFORM, { ...text, together: CAPACITY });
    const cold = await deliver(lab, publisher, TEXT_PLATFORM, { ...text, together: 1 });
    for (let n = 0; n < WARM_BATCHES; n += 1) await batch();
    let spent = 0;
    for (let n = 0; n < BATCHES; n += 1) spent += await batch();
    return [cold, spent / BATCHES / CAPACITY];
  });
  const measured: Results = {
    title: 'Processor time of a text delivery',
    values: {
      'in a warm environment': less(warm, 'ms', 1),
      'the first of an environment': less(first, 'ms'),
    },
  };
  return [measured, ...SIZES_MB.map(memoryMb => priceOf(memoryMb, warm, first))];
}

function priceOf(memoryMb: number, warmMs: number, firstMs: number): Results {
  // More than one processor is of no use to a delivery.
  const share = Math.min(1, memoryMb / PROCESSOR_MB);
  const duration = PLATFORM_MS + warmMs / share;
  return {
    title: `A text delivery with ${memoryMb} MB`,
    values: {
      'time in a warm environment': less(duration, 'ms'),
      'time of the first': less(PLATFORM_MS + firstMs / share, 'ms'),
      'ten at once': less(PLATFORM_MS + (CAPACITY * warmMs) / share, 'ms'),
      '1,000 deliveries': less(1000 * run(memoryMb, duration), 'dollars', 4),
    },
  };
}
