import type { JsonObject } from '../../shared/model/json.ts';
import type { AppCredentials } from '../../shared/model/platform-app.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type {
  ConnectContext,
  ConnectedAccount,
  Connector,
  DirectWay,
  Grant,
  OAuthWay,
} from '../../shared/platforms/contract/connector.ts';
import type { TestSandbox } from './sandbox-host.ts';

/** A grant of any platform. Tests read its credentials by name. */
export type AnyGrant = Grant<JsonObject> & { credentials: Record<string, string> };

export function oauthWay({ ways }: Connector): OAuthWay<JsonObject> {
  const way = ways.find(each => each.kind === 'oauth');
  if (way?.kind !== 'oauth') throw new Error('The connector has no OAuth way');
  return way;
}

export function directWay({ ways }: Connector): DirectWay<JsonObject> {
  const way = ways.find(each => each.kind === 'direct');
  if (way?.kind !== 'direct') throw new Error('The connector has no direct way');
  return way;
}

/** Connects with secrets that the user enters. */
export async function connectDirectly(
  connector: Connector,
  input: unknown,
  context: ConnectContext,
): Promise<AnyGrant> {
  return (await directWay(connector).connect(input, context)) as AnyGrant;
}

/** The account of a grant, as connectors take it. */
export function connectedAccount(
  grant: Grant<JsonObject>,
  { app = null, credentials = {} }: { app?: AppCredentials | null; credentials?: JsonObject } = {},
): ConnectedAccount<JsonObject> {
  const { platform_user_id, username } = grant.account;
  return {
    way: 'default',
    platform_user_id,
    username,
    attributes: grant.attributes,
    credentials: { ...grant.credentials, ...credentials },
    app,
  };
}

export const connectContext = ({ http, now }: TestSandbox): ConnectContext => ({ http, now });

const CREDENTIALS: Readonly<Partial<Record<PlatformId, JsonObject>>> = {
  x: { access_token: 'a', refresh_token: 'r' },
  instagram: { login: 'instagram', access_token: 'a' },
  threads: { access_token: 'a' },
  pinterest: { access_token: 'a', refresh_token: 'r' },
  bluesky: { access_token: 'a', refresh_token: 'r', app_password: 'p' },
  youtube: { access_token: 'a', refresh_token: 'r' },
  gbp: { access_token: 'a', refresh_token: 'r' },
  facebook: { user_token: 'a' },
  linkedin: { access_token: 'a', refresh_token: 'r', refresh_expires_at: null },
  tiktok: { access_token: 'a', refresh_token: 'r' },
  snapchat: { access_token: 'a', refresh_token: 'r' },
  telegram: { bot_token: '123456789:AAabcdefghijklmnopqrstuvwxyz0123456' },
};

/** Credentials that pass the platform's schema. */
export const testCredentials = (platform: PlatformId): JsonObject => CREDENTIALS[platform] ?? {};
