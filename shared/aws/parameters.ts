import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Loadable } from './clients.ts';
import { ENV } from './env.ts';

const sdk = () => import('./sdk/ssm.ts');

/** What a container reads at its first read, in one call; each name is used once, then read again by itself. */
interface FirstRead {
  unused: Set<string>;
  values: Promise<ReadonlyMap<string, string>>;
}

let first: FirstRead | null = null;

/** Returns the value of an SSM parameter, decrypted; null where it does not exist. */
export async function readParameter(ssm: Loadable<SSMClient>, name: string): Promise<string | null> {
  first ??= beginFirstRead(ssm);
  if (!first.unused.delete(name)) return readAlone(ssm, name);
  try {
    return (await first.values).get(name) ?? null;
  } catch (error) {
    first = null;
    throw error;
  }
}

/** SSM allows 40 reads a second in a region: many containers that start at once, each with several reads, exceed that. */
function beginFirstRead(ssm: Loadable<SSMClient>): FirstRead {
  const names = (process.env[ENV.initialParameters] ?? '').split(',').filter(name => name !== '');
  const values = names.length === 0 ? Promise.resolve(new Map<string, string>()) : readTogether(ssm, names);
  return { unused: new Set(names), values };
}

async function readTogether(ssm: Loadable<SSMClient>, Names: string[]): Promise<ReadonlyMap<string, string>> {
  const { GetParametersCommand } = await sdk();
  const client = await ssm;
  const { Parameters = [] } = await client.send(new GetParametersCommand({ Names, WithDecryption: true }));
  return new Map(Parameters.map(({ Name = '', Value = '' }) => [Name, Value]));
}

async function readAlone(ssm: Loadable<SSMClient>, Name: string): Promise<string | null> {
  const { GetParameterCommand, ParameterNotFound } = await sdk();
  const client = await ssm;
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name, WithDecryption: true }));
    return Parameter?.Value ?? null;
  } catch (error) {
    if (error instanceof ParameterNotFound) return null;
    throw error;
  }
}
