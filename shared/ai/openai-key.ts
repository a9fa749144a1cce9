import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import { MINUTE } from '../time/instant.ts';

export const aiKeyParameter = (prefix: string) => `${prefix}/ai-provider`;

/** How long a container trusts what it read. */
const TRUST_MS = 5 * MINUTE;

/** Reads the operator's key at the provider, at most every five minutes; null where none is set: some need none. */
export function keyReader(ssm: SSMClient, prefix: string, now: () => number): () => Promise<string | null> {
  let known: { key: string | null; until: number } | null = null;
  return async () => {
    if (known && known.until > now()) return known.key;
    known = { key: await read(ssm, aiKeyParameter(prefix)), until: now() + TRUST_MS };
    return known.key;
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
