import {
  GetParameterCommand,
  GetParametersCommand,
  ParameterNotFound,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { ENV } from './env.ts';

/** What a container reads at its first read, in one call; each name is used once, then read again by itself. */
interface FirstRead {
  unused: Set<string>;
  values: Promise<ReadonlyMap<string, string>>;
}

let first: FirstRead | null = null;

/** Returns the value of an SSM parameter, decrypted; null where it does not exist. */
export async function readParameter(ssm: SSMClient, name: string): Promise<string | null> {
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
function beginFirstRead(ssm: SSMClient): FirstRead {
  const names = (process.env[ENV.initialParameters] ?? '').split(',').filter(name => name !== '');
  const values = names.length === 0 ? Promise.resolve(new Map<string, string>()) : readTogether(ssm, names);
  return { unused: new Set(names), values };
}

async function readTogether(ssm: SSMClient, Names: string[]): Promise<ReadonlyMap<string, string>> {
  const { Parameters = [] } = await ssm.send(new GetParametersCommand({ Names, WithDecryption: true }));
  return new Map(Parameters.map(({ Name = '', Value = '' }) => [Name, Value]));
}

async function readAlone(ssm: SSMClient, Name: string): Promise<string | null> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name, WithDecryption: true }));
    return Parameter?.Value ?? null;
  } catch (error) {
    if (error instanceof ParameterNotFound) return null;
    throw error;
  }
}
