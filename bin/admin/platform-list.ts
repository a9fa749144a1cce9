import { GetParametersCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { platformAppParameter } from '../../shared/aws/platform-app.ts';
import { AppCredentialsSchema, type AppCredentials } from '../../shared/model/platform-app.ts';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { CONNECTORS } from '../../shared/platforms/registry/connectors.ts';
import type { Command } from './command.ts';
import { columns, day } from './text.ts';

export const platformList: Command = {
  name: 'platform list',
  arguments: '',
  summary: 'lists the platforms with the app of each, without its secret',
  options: [],
  run: async ({ target }) => {
    const apps = await platformApps(target.ssm, target.parameterPrefix);
    const rows = PLATFORM_IDS.map(platform => rowOf(platform, apps.get(platform)));
    return columns([['PLATFORM', 'CLIENT ID', 'STORED', 'FIELDS'], ...rows]);
  },
};

export interface StoredApp {
  app: AppCredentials;
  /** Epoch milliseconds. */
  stored_at: number;
}

/** Reads at most ten parameters in one call. */
const MOST_NAMES = 10;

/** Returns the apps of the stack by platform. */
export async function platformApps(ssm: SSMClient, prefix: string): Promise<Map<PlatformId, StoredApp>> {
  const names = PLATFORM_IDS.map(platform => platformAppParameter(prefix, platform));
  const batches = Array.from({ length: Math.ceil(names.length / MOST_NAMES) }, (_, index) =>
    names.slice(index * MOST_NAMES, (index + 1) * MOST_NAMES),
  );
  const answers = await Promise.all(
    batches.map(Names => ssm.send(new GetParametersCommand({ Names, WithDecryption: true }))),
  );
  const found = answers.flatMap(({ Parameters = [] }) => Parameters);
  return new Map(
    PLATFORM_IDS.flatMap((platform, index) => {
      const parameter = found.find(({ Name }) => Name === names[index]);
      if (parameter?.Value === undefined) return [];
      const json: unknown = JSON.parse(parameter.Value);
      const stored_at = parameter.LastModifiedDate?.getTime() ?? 0;
      return [[platform, { app: v.parse(AppCredentialsSchema, json), stored_at }] as const];
    }),
  );
}

/** Whether accounts of a platform are connected on a consent page, which needs an app. */
export const needsApp = (platform: PlatformId) =>
  CONNECTORS[platform]?.ways.some(({ kind }) => kind === 'oauth') === true;

function rowOf(platform: PlatformId, stored: StoredApp | undefined): string[] {
  if (!stored) return [platform, needsApp(platform) ? 'none: connects are refused' : 'needs none', '', ''];
  const { client_id, client_secret: _, ...rest } = stored.app;
  const pairs = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  return [platform, client_id, day(stored.stored_at), pairs.join(' ')];
}
