import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import { MINUTE } from '../time/instant.ts';

export const aiKeyParameter = (prefix: string) => `${prefix}/ai-provider`;

/** How long a container caches the key. */
const CACHE_MS = 5 * MINUTE;

/** Returns a function that reads the provider's API key, cached for five minutes; null where none is set. */
export function keyReader(ssm: SSMClient, prefix: string, now: () => number): () => Promise<string | null> {
  let cached: { key: string | null; until: number } | null = null;
  return async () => {
    if (cached && cached.until > now()) return cached.key;
    cached = { key: await read(ssm, aiKeyParameter(prefix)), until: now() + CACHE_MS };
    return cached.key;
  };
}

async function read(ssm: SSMClient, name: string): Promise<string | null> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value?.trim() ?? null;
  } catch (error) {
    if (error instanceof ParameterNotFound) return null;
    throw error;
  }
}
