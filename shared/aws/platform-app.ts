import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import type { PlatformId } from '../model/platform.ts';

const PlatformAppSchema = v.object({ client_id: v.string(), client_secret: v.string() });
export type PlatformApp = v.InferOutput<typeof PlatformAppSchema>;

export const platformAppParameter = (prefix: string, platform: PlatformId) =>
  `${prefix}/platforms/${platform}`;

/** How long a container trusts what it read. */
const TRUST_MS = 5 * 60 * 1000;
const cache = new Map<string, { app: PlatformApp | null; until: number }>();

/** The operator's registration at a platform; null while none is set. */
export async function loadPlatformApp(
  ssm: SSMClient,
  prefix: string,
  platform: PlatformId,
): Promise<PlatformApp | null> {
  const name = platformAppParameter(prefix, platform);
  const known = cache.get(name);
  if (known && known.until > Date.now()) return known.app;
  const app = await read(ssm, name);
  if (app) cache.set(name, { app, until: Date.now() + TRUST_MS });
  return app;
}

async function read(ssm: SSMClient, name: string): Promise<PlatformApp | null> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    const json: unknown = JSON.parse(Parameter?.Value ?? '');
    return v.parse(PlatformAppSchema, json);
  } catch (error) {
    if (error instanceof ParameterNotFound) return null;
    throw error;
  }
}
