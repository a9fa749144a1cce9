import type { SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { AppCredentialsSchema, type AppCredentials } from '../model/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Loadable } from './clients.ts';
import { readParameter } from './parameters.ts';

export const platformAppParameter = (prefix: string, platform: PlatformId) =>
  `${prefix}/platforms/${platform}`;

const CACHE_MS = 5 * 60 * 1000;
const cache = new Map<string, { app: AppCredentials; until: number }>();

/**
 * Returns the credentials of the stack's app at a platform; null while none are set. Cached for five minutes per
 * container; expired ones are used when SSM does not answer.
 */
export async function loadPlatformApp(
  ssm: Loadable<SSMClient>,
  prefix: string,
  platform: PlatformId,
): Promise<AppCredentials | null> {
  const name = platformAppParameter(prefix, platform);
  const cached = cache.get(name);
  if (cached && cached.until > Date.now()) return cached.app;
  try {
    const app = await readApp(ssm, name);
    if (app) cache.set(name, { app, until: Date.now() + CACHE_MS });
    else cache.delete(name);
    return app;
  } catch (error) {
    if (cached) return cached.app;
    throw error;
  }
}

async function readApp(ssm: Loadable<SSMClient>, name: string): Promise<AppCredentials | null> {
  const value = await readParameter(ssm, name);
  if (value === null) return null;
  const json: unknown = JSON.parse(value);
  return v.parse(AppCredentialsSchema, json);
}
