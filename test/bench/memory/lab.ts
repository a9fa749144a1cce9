import { readFileSync } from 'node:fs';
import { stackFileBeside } from '../../../local/ready.ts';
import { CDN_PATH } from '../../../local/s3/cdn.ts';
import { REGION } from '../../../local/template/names.ts';
import { ENV } from '../../../shared/aws/env.ts';
import { CAPACITY } from '../../../shared/delivery/load.ts';
import type { PlatformId, PostType } from '../../../shared/model/platform.ts';
import { RULES } from '../../../shared/platforms/registry/rules.ts';
import type { TestStack } from '../../support/stack.ts';
import { startPublisher, type PublisherProcess } from './environment.ts';
import { demoPosts, type Posts } from './posts.ts';

/** A stack whose posts are delivered by publishers in processes of their own. */
export interface Lab {
  stack: TestStack;
  posts: Posts;
  environment: Readonly<Record<string, string>>;
}

export const openLab = async (stack: TestStack): Promise<Lab> => ({
  stack,
  posts: await demoPosts(stack),
  environment: environmentOf(stack),
});

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

/** Posts that a publisher delivers. */
export interface Load {
  type: PostType;
  /** Posts of a batch, and batches. */
  together: number;
  n: number;
  url: () => string | null;
}

/** Runs with a publisher in a new environment. */
export async function withPublisher<T>(
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
export async function deliver(
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
