import type * as v from 'valibot';
import type { Credentials } from '../../model/profile.ts';
import type { HttpClient } from '../../net/http.ts';

/** The operator's registration at a platform. */
export interface AppCredentials {
  client_id: string;
  client_secret: string;
}

/** What a platform granted: an account and the secrets to act for it. */
export interface Grant {
  account: {
    platform_user_id: string;
    display_name: string;
    username: string | null;
    avatar_url: string | null;
  };
  credentials: Credentials;
  scopes: readonly string[];
  /** Facts for later calls that are no secret. */
  attributes: Readonly<Record<string, string>>;
  /** Epoch milliseconds; null for credentials that do not expire. */
  token_expires_at: number | null;
}

/** New credentials. An absent refresh token means that the stored one stays valid. */
export interface Renewal {
  credentials: Partial<Credentials>;
  token_expires_at: number | null;
  /** Facts that changed meanwhile (an account moved to another server). */
  attributes?: Readonly<Record<string, string>>;
}

export interface ConnectContext {
  http: HttpClient;
  /** Guarded client for URLs that the user gave. */
  guarded: HttpClient;
  now: () => number;
}

export interface RenewInput {
  credentials: Credentials;
  attributes: Readonly<Record<string, string>>;
  /** Null where the platform needs no registration. */
  app: AppCredentials | null;
}

/** Where posts of one login may go: a page, an organisation, a business location, a board. */
export interface Target {
  id: string;
  name: string;
}

interface Common {
  /**
   * Exchanges expired credentials. Throws PlatformError `token_expired` when the grant is dead, `transient` when the
   * platform did not answer. Absent where credentials never expire.
   */
  renew?: (input: RenewInput, context: ConnectContext) => Promise<Renewal>;
  /** True where a refresh token is used up by its use, so that one refresh at a time is vital. */
  rotates: boolean;
  /** Gives the credentials back; failures are ignored by the caller. */
  revoke?: (input: RenewInput, context: ConnectContext) => Promise<void>;
  /** Lists the targets of a login. Absent where an account is all there is. Throws PlatformError. */
  targets?: (input: RenewInput, context: ConnectContext) => Promise<Target[]>;
}

/** Connects through the platform's consent page. */
export interface OAuthConnector extends Common {
  kind: 'oauth';
  scopes: readonly string[];
  /** The page to send the user to. `code_challenge` is S256. */
  authorizeUrl: (input: {
    app: AppCredentials;
    state: string;
    redirect_uri: string;
    code_challenge: string;
  }) => string;
  /** Throws PlatformError `rejected` when the code is not accepted. */
  exchange: (
    input: { app: AppCredentials; code: string; redirect_uri: string; code_verifier: string },
    context: ConnectContext,
  ) => Promise<Grant>;
}

/** Connects by secrets that the user enters (an app password, a bot token). */
export interface DirectConnector extends Common {
  kind: 'direct';
  /** Body fields beside `profile_name`. */
  input: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Throws PlatformError: `rejected` with words for the user when the platform refuses the secrets. */
  connect: (input: unknown, context: ConnectContext) => Promise<Grant>;
}

export type Connector = OAuthConnector | DirectConnector;
