import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { AppCredentials } from '../../model/platform-app.ts';
import type { PlatformId } from '../../model/platform.ts';
import type { HttpClient } from '../../net/http.ts';
import type { Callbacks } from './callbacks.ts';
import { PlatformError } from './error.ts';

export type { AppCredentials } from '../../model/platform-app.ts';
export type { CallbackUser, Callbacks } from './callbacks.ts';

/** An account as the platform identifies it: read with the granted credentials, never taken from the caller. */
export interface AccountIdentity {
  platform_user_id: string;
  display_name: string;
  username: string | null;
  avatar_url: string | null;
}

/** How long credentials last. Epoch milliseconds. */
export interface Lifetime {
  /** The earliest time of the next renewal; null where the credentials cannot or need not be renewed. */
  renew_at: number | null;
  /** When the access token expires; null where it does not. */
  expires_at: number | null;
}

/**
 * Attribute with the time (ISO 8601) at which a grant ends whatever is renewed, where the platform names one: the user
 * must reconnect before then.
 */
export const GRANT_ENDS_AT = 'grant_ends_at';

/** What a platform granted: an account and the complete credentials to act for it. `C`: the platform's credentials. */
export interface Grant<C> extends Lifetime {
  account: AccountIdentity;
  credentials: C;
  scopes: readonly string[];
  /** Facts for later calls that are not secret. */
  attributes: Readonly<Record<string, string>>;
}

/** Renewed credentials, complete: a connector carries over what the response leaves out. */
export interface Renewal<C> extends Lifetime {
  credentials: C;
  /** What changed of the account's presentation, such as an expiring picture URL. */
  account?: Partial<Omit<AccountIdentity, 'platform_user_id'>>;
  scopes?: readonly string[];
  /** Facts that changed. */
  attributes?: Readonly<Record<string, string>>;
}

/** Facts about an account, read again. */
export interface RefreshedFacts {
  attributes: Readonly<Record<string, string>>;
  account?: Partial<Omit<AccountIdentity, 'platform_user_id'>>;
}

export interface ConnectContext {
  /** Sends requests to the platform; guarded against private addresses. */
  http: HttpClient;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
}

/** A connected account with its credentials. */
export interface ConnectedAccount<C> {
  /** Id of the way that it was connected by. */
  way: string;
  platform_user_id: string;
  username: string | null;
  attributes: Readonly<Record<string, string>>;
  credentials: C;
  /** The app that the connection was made with; null where the platform needs none. */
  app: AppCredentials | null;
}

/** Where posts of one login may go: a page, an organization, a business location, a board. */
export interface Target {
  id: string;
  name: string;
  /** Facts for later calls that are not secret. */
  attributes: Readonly<Record<string, string>>;
  /** What is needed to act for this target beside the account's credentials, such as a page token; stored sealed. */
  secrets: JsonObject | null;
}

/** Whether an account has targets, and whether a post needs one. */
export type TargetMode = 'none' | 'optional' | 'required';

/** Connecting on the platform's consent page. */
export interface OAuthWay<C> {
  kind: 'oauth';
  /** Unique among the platform's ways; callers choose it with `way`. */
  id: string;
  scopes: readonly string[];
  /** The platform whose app this way uses; default: the platform itself. */
  app_platform?: PlatformId;
  /** Default: the connector's. */
  targets?: TargetMode;
  /** Returns the URL of the consent page. `code_challenge` is S256. */
  authorizeUrl: (input: {
    app: AppCredentials;
    state: string;
    redirect_uri: string;
    code_challenge: string;
  }) => string;
  /** Exchanges the authorization code. Throws PlatformError `rejected` when the platform does not accept it. */
  exchange: (
    input: { app: AppCredentials; code: string; redirect_uri: string; code_verifier: string },
    context: ConnectContext,
  ) => Promise<Grant<C>>;
}

/** Connecting with secrets that the user enters: an app password, a bot token. */
export interface DirectWay<C> {
  kind: 'direct';
  id: string;
  targets?: TargetMode;
  /** Body fields beside `profile_name`. */
  input: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Throws PlatformError: `rejected`, with a message for the user, when the platform does not accept the secrets. */
  connect: (input: unknown, context: ConnectContext) => Promise<Grant<C>>;
}

export type Way<C> = OAuthWay<C> | DirectWay<C>;

export interface ConnectorDefinition<C extends JsonObject> {
  /** Schema of the credentials. They are stored sealed, as JSON, and parsed by it when they are unsealed. */
  credentials: v.GenericSchema<unknown, C>;
  /** At least one; the first is the default. */
  ways: readonly [Way<C>, ...Way<C>[]];
  targets: TargetMode;
  /** Lists the targets of a login. Required unless `targets` is `none`. Throws PlatformError. */
  listTargets?: (account: ConnectedAccount<C>, context: ConnectContext) => Promise<Target[]>;
  /**
   * Renews the credentials. Throws PlatformError: `token_expired` when the grant has ended, `transient` when the
   * platform did not answer. Absent where credentials cannot be renewed.
   */
  renew?: (account: ConnectedAccount<C>, context: ConnectContext) => Promise<Renewal<C>>;
  /** True where the access token itself is exchanged for a new one: an expired or refused token cannot be renewed. */
  renews_valid_token_only?: true;
  /** Revokes the credentials at the platform; a failure is only logged. */
  revoke?: (account: ConnectedAccount<C>, context: ConnectContext) => Promise<void>;
  /** Facts that change while an account is connected: creator settings, subscription, limits. */
  facts?: {
    /** Older facts are read again before validation or publishing uses them. Milliseconds. */
    max_age_ms: number;
    read: (account: ConnectedAccount<C>, context: ConnectContext) => Promise<RefreshedFacts>;
  };
  /** Absent where the platform calls no one when a user removes the app. */
  callbacks?: Callbacks;
  /** Fields of the platform's app beside `client_id` and `client_secret`. Strings; not secret. */
  app_fields?: v.ObjectEntries;
  /** Returns what the operator must change about an app before it stops working; null for nothing. */
  appNotice?: (app: AppCredentials, now: number) => string | null;
  /**
   * Asks the platform whether it accepts the id and secret of an app. Throws PlatformError: `rejected`, with a message for
   * the user, when it does not. Absent where only a login shows that.
   */
  checkApp?: (app: AppCredentials, context: ConnectContext) => Promise<void>;
}

type AccountCall<T> = (account: ConnectedAccount<JsonObject>, context: ConnectContext) => Promise<T>;

/** A connector with its credentials type hidden: what the service works with. */
export interface Connector {
  credentials: v.GenericSchema<unknown, JsonObject>;
  ways: readonly [Way<JsonObject>, ...Way<JsonObject>[]];
  targets: TargetMode;
  listTargets: AccountCall<Target[]> | null;
  renew: AccountCall<Renewal<JsonObject>> | null;
  renews_valid_token_only: boolean;
  revoke: AccountCall<void> | null;
  facts: { max_age_ms: number; read: AccountCall<RefreshedFacts> } | null;
  callbacks: Callbacks | null;
  app_fields: v.ObjectEntries;
  appNotice: (app: AppCredentials, now: number) => string | null;
  checkApp: ((app: AppCredentials, context: ConnectContext) => Promise<void>) | null;
}

/** Defines a way whose input is parsed by `input` before `connect` gets it. */
export function directWay<C, E extends v.ObjectEntries>(
  definition: Omit<DirectWay<C>, 'kind' | 'input' | 'connect'> & {
    input: v.ObjectSchema<E, undefined>;
    connect: (
      input: v.InferOutput<v.ObjectSchema<E, undefined>>,
      context: ConnectContext,
    ) => Promise<Grant<C>>;
  },
): DirectWay<C> {
  const { input, connect } = definition;
  return {
    ...definition,
    kind: 'direct',
    connect: async (raw, context) => {
      const parsed = v.safeParse(input, raw);
      if (parsed.success) return connect(parsed.output, context);
      const [{ message }] = parsed.issues;
      throw new PlatformError({ kind: 'rejected', code: 'CONTENT_REJECTED', message });
    },
  };
}

/** Hides the credentials type of a connector, so that the service handles all platforms alike. */
export function defineConnector<C extends JsonObject>(definition: ConnectorDefinition<C>): Connector {
  const {
    credentials,
    ways,
    targets,
    facts,
    callbacks = null,
    app_fields = {},
    appNotice = () => null,
    checkApp = null,
  } = definition;
  const typed =
    <T>(call: (account: ConnectedAccount<C>, context: ConnectContext) => Promise<T>): AccountCall<T> =>
    async (account, context) =>
      call({ ...account, credentials: v.parse(credentials, account.credentials) }, context);
  const optional = <T>(call?: (account: ConnectedAccount<C>, context: ConnectContext) => Promise<T>) =>
    call ? typed(call) : null;

  return {
    credentials,
    ways,
    targets,
    listTargets: optional(definition.listTargets),
    renew: optional(definition.renew),
    renews_valid_token_only: definition.renews_valid_token_only ?? false,
    revoke: optional(definition.revoke),
    facts: facts ? { max_age_ms: facts.max_age_ms, read: typed(facts.read) } : null,
    callbacks,
    app_fields,
    appNotice,
    checkApp,
  };
}

/** The way of this id; null where the platform has none. */
export function findWay(connector: Connector, id: string): Way<JsonObject> | null {
  return connector.ways.find(way => way.id === id) ?? null;
}

/** Whether accounts of this way have targets. */
export function targetModeOf(connector: Connector, wayId: string): TargetMode {
  return findWay(connector, wayId)?.targets ?? connector.targets;
}
