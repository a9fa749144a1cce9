import * as v from 'valibot';
import { seal, unseal } from '../aws/key-ring.ts';
import { JsonObjectSchema, type JsonObject } from '../model/json.ts';
import type { Connection } from '../model/profile.ts';
import type { AppCredentials, ConnectedAccount, Target } from '../platforms/contract/connector.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { connectorOf } from './connector.ts';
import type { Services } from '../runtime/services.ts';
import { getTarget, type StoredTarget } from '../store/targets.ts';
import { logAppNotice } from './app-notice.ts';
import { appOf } from './apps.ts';

/** A connected account with its credentials unsealed. Never log it or return it in a response. */
export interface LoadedAccount {
  connection: Connection;
  /** Parsed by the platform's credentials schema. */
  credentials: JsonObject;
  /** The app that the connection was made with; null where the platform needs none. */
  app: AppCredentials | null;
  /** The target that was asked for; null for none. */
  target: Target | null;
}

/**
 * Loads an account: its credentials, its app and, if `targetId` names one, a target. Throws PlatformError:
 * `token_expired` when the stored credentials do not match this version's schema, `rejected` for an unknown target.
 */
export async function loadAccount(
  services: Services,
  connection: Connection,
  targetId: string | null = null,
): Promise<LoadedAccount> {
  const [credentials, app, target] = await Promise.all([
    unsealCredentials(services, connection),
    appOf(services, connection),
    loadTarget(services, connection, targetId),
  ]);
  if (app) await logAppNotice(connection.platform, app, services.now());
  return { connection, credentials, app, target };
}

/** The account as a connector's functions take it. */
export function toConnectedAccount({
  connection,
  credentials,
  app,
}: LoadedAccount): ConnectedAccount<JsonObject> {
  const { way, platform_user_id, username, attributes } = connection;
  return { way, platform_user_id, username, attributes, credentials, app };
}

async function unsealCredentials(services: Services, connection: Connection): Promise<JsonObject> {
  const { id, platform, sealed } = connection;
  const json: unknown = JSON.parse(unseal(await services.keyRing(sealed), id, sealed));
  const connector = await connectorOf(platform);
  const parsed = v.safeParse(connector?.credentials ?? JsonObjectSchema, json);
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'token_expired',
    code: 'TOKEN_EXPIRED',
    message: 'The stored credentials are not usable by this version of the service: reconnect the account',
  });
}

export async function sealCredentials(
  services: Services,
  connectionId: string,
  credentials: JsonObject,
): Promise<string> {
  return seal(await services.keyRing(), connectionId, JSON.stringify(credentials));
}

async function loadTarget(
  services: Services,
  connection: Connection,
  targetId: string | null,
): Promise<Target | null> {
  if (targetId === null) return null;
  const stored = await getTarget(services.table, connection, targetId);
  if (stored) return unsealTarget(services, connection, stored);
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `The account has no target ${targetId}: choose one of GET /integrations/${connection.platform}/targets`,
  });
}

/** The owner that a target's secrets are sealed for. */
const boundTo = (connectionId: string, targetId: string) => `${connectionId}:${targetId}`;

export async function sealTarget(
  services: Services,
  { id }: Connection,
  { secrets, ...target }: Target,
): Promise<StoredTarget> {
  const sealed = secrets && seal(await services.keyRing(), boundTo(id, target.id), JSON.stringify(secrets));
  return { ...target, attributes: { ...target.attributes }, sealed };
}

async function unsealTarget(
  services: Services,
  { id }: Connection,
  { sealed, ...target }: StoredTarget,
): Promise<Target> {
  if (sealed === null) return { ...target, secrets: null };
  const json: unknown = JSON.parse(unseal(await services.keyRing(sealed), boundTo(id, target.id), sealed));
  return { ...target, secrets: v.parse(JsonObjectSchema, json) };
}
