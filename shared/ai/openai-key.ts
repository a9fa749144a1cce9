import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Loadable } from '../aws/clients.ts';
import { readParameter } from '../aws/parameters.ts';
import { MINUTE } from '../time/instant.ts';

export const aiKeyParameter = (prefix: string) => `${prefix}/ai-provider`;

/** How long a container caches the key. */
const CACHE_MS = 5 * MINUTE;

/** Returns a function that reads the provider's API key, cached for five minutes; null where none is set. */
export function keyReader(
  ssm: Loadable<SSMClient>,
  prefix: string,
  now: () => number,
): () => Promise<string | null> {
  let cached: { key: string | null; until: number } | null = null;
  return async () => {
    if (cached && cached.until > now()) return cached.key;
    cached = {
      key: (await readParameter(ssm, aiKeyParameter(prefix)))?.trim() ?? null,
      until: now() + CACHE_MS,
    };
    return cached.key;
  };
}
