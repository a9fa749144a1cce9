import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { seal, unseal } from '../aws/key-ring.ts';
import { loadPlatformApp } from '../aws/platform-app.ts';
import {
  AppCredentialsSchema,
  type AppCredentials,
  type SealedApp,
  type WorkspaceApp,
} from '../model/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection } from '../model/profile.ts';
import { findWay } from '../platforms/contract/connector.ts';
import { connectorOf } from './connector.ts';
import type { Services } from '../runtime/services.ts';
import { getWorkspaceApp } from '../store/platform-apps.ts';

/** The owner that a workspace's app is sealed for. */
const boundTo = (workspaceId: string, platform: string) => `platform-app:${workspaceId}:${platform}`;

export async function sealWorkspaceApp(
  services: Services,
  workspaceId: string,
  platform: PlatformId,
  app: AppCredentials,
): Promise<WorkspaceApp> {
  const { client_id, client_secret, ...fields } = app;
  const sealed = seal(await services.keyRing(), boundTo(workspaceId, platform), JSON.stringify(app));
  const owner = { workspace_id: workspaceId, platform };
  return { ...owner, client_id, fields, sealed, updated_at: services.now() };
}

export interface AppForConnect {
  app: AppCredentials;
  /** True for the workspace's own app, false for the stack's. */
  is_own: boolean;
}

/** Returns the app that new connections of a workspace are made with: its own, else the stack's; null without either. */
export async function appForConnect(
  services: Services,
  workspaceId: string,
  platform: PlatformId,
): Promise<AppForConnect | null> {
  const own = await getWorkspaceApp(services.table, workspaceId, platform);
  if (own) return { app: await unsealApp(services, boundTo(workspaceId, platform), own), is_own: true };
  const app = await stackApp(services, platform);
  return app && { app, is_own: false };
}

/**
 * Returns the app that a connection was made with; null where the platform needs none, or the stack's is not set. A
 * workspace's app that was replaced or deleted meanwhile still serves the connections made with it; a new secret of the
 * same app is used at once.
 */
export async function appOf(services: Services, connection: Connection): Promise<AppCredentials | null> {
  const { id, workspace_id, app } = connection;
  const platform = await appPlatformOf(connection);
  if (platform === null) return null;
  if (!app) return stackApp(services, platform);
  const own = await getWorkspaceApp(services.table, workspace_id, platform);
  if (own?.client_id === app.client_id) {
    return unsealApp(services, boundTo(workspace_id, platform), own);
  }
  return unsealApp(services, id, app);
}

/** Seals a copy of an app for a connection or a pending authorization. */
export async function sealApp(services: Services, ownerId: string, app: AppCredentials): Promise<SealedApp> {
  return {
    client_id: app.client_id,
    sealed: seal(await services.keyRing(), ownerId, JSON.stringify(app)),
  };
}

export async function unsealApp(
  services: Services,
  ownerId: string,
  { sealed }: SealedApp,
): Promise<AppCredentials> {
  const json: unknown = JSON.parse(unseal(await services.keyRing(sealed), ownerId, sealed));
  return v.parse(AppCredentialsSchema, json);
}

export function stackApp(services: Services, platform: PlatformId): Promise<AppCredentials | null> {
  return loadPlatformApp(services.ssm, services.setting(ENV.parameterPrefix), platform);
}

/** The platform whose app the connection's way uses; null where it needs none. */
async function appPlatformOf({ platform, way }: Connection): Promise<PlatformId | null> {
  const connector = await connectorOf(platform);
  const used = connector && findWay(connector, way);
  return used?.kind === 'oauth' ? (used.app_platform ?? platform) : null;
}
