import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { AppCredentials } from '../../../contract/connector.ts';
import type { SandboxCollection, SandboxHost } from '../../../contract/sandbox.ts';

const TokenSchema = v.object({
  account_id: v.string(),
  scopes: v.array(v.string()),
  /** Epoch milliseconds; null for a refresh token without an end. */
  expires_at: v.nullable(v.number()),
});
export type StoredToken = v.InferOutput<typeof TokenSchema>;

export interface AuthorizationCode {
  account_id: string;
  scopes: string[];
  redirect_uri: string;
  challenge: string;
  /** Whether a refresh token is issued with it. */
  offline: boolean;
  expires_at: number;
}

/** What the OAuth server of a sandbox plays for one platform. */
export interface GoogleOAuthOptions {
  host: SandboxHost;
  client: AppCredentials;
  /** Scopes that the app may ask for. */
  scopes: readonly string[];
  /** Returns the account that `?as=` of the consent page names, by default the first; null for an unknown one. */
  findAccount: (name: string | undefined) => { id: string; name: string } | null;
  /** True while the app is in testing: refresh tokens then last 7 days. */
  isTesting: (accountId: string) => boolean;
}

export interface GoogleTokens {
  options: GoogleOAuthOptions;
  codes: Map<string, AuthorizationCode>;
  access: SandboxCollection<StoredToken>;
  refresh: SandboxCollection<StoredToken>;
}

export function openTokens(options: GoogleOAuthOptions): GoogleTokens {
  const { host } = options;
  return {
    options,
    codes: new Map(),
    access: host.collection('access-tokens', TokenSchema),
    refresh: host.collection('refresh-tokens', TokenSchema),
  };
}

export const secret = (prefix: string): string => prefix + randomBytes(48).toString('base64url');

/** Returns the unexpired access token of an `Authorization` header; null where there is none. */
export function bearerOf({ access, options }: GoogleTokens, header: string | undefined): StoredToken | null {
  const token = access.get(/^Bearer (\S+)$/.exec(header ?? '')?.[1] ?? '');
  return token && (token.expires_at ?? 0) > options.host.now() ? token : null;
}
