import * as v from 'valibot';
import type { Metrics } from '../../shared/model/insight.ts';
import {
  defineConnector,
  type ConnectedAccount,
  type Connector,
  type Grant,
  type Lifetime,
  type OAuthWay,
  type Target,
} from '../../shared/platforms/contract/connector.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { defineInsights, type InsightsReader } from '../../shared/platforms/contract/insights.ts';
import { defineLookup, type Lookup } from '../../shared/platforms/contract/lookups.ts';
import { LOAD_CONNECTOR } from '../../shared/platforms/registry/load-connector.ts';
import { CONNECTORS } from '../../shared/platforms/registry/connectors.ts';
import { DAY } from '../../shared/time/instant.ts';

/** The platform that the fake connector is registered as, in place of its own. */
export const FAKE_PLATFORM = 'instagram';

const CredentialsSchema = v.object({ user_token: v.pipe(v.string(), v.nonEmpty()), generation: v.number() });
type Credentials = v.InferOutput<typeof CredentialsSchema>;

const PAGE = { attributes: { category: 'Brand' } };

export const page = (id: string): Target => ({
  ...PAGE,
  id,
  name: `Page ${id}`,
  secrets: { page_token: `page token ${id}` },
});

export interface FakePlatformState {
  /** Calls of the connector, in order: `renew`, `revoke`, `listTargets`, `facts`, `lookup`, `read`. */
  calls: string[];
  /** The app of each call that got one. */
  apps: (string | null)[];
  pages: Target[];
  /** Lifetime of the tokens that are granted and renewed. */
  lifetime: (now: number) => Lifetime;
  /** Overrides of the credentials that are granted. */
  grant: { user_token?: string };
  /** Attributes that are granted beside the tier. */
  attributes: Record<string, string>;
  /** What the platform says about the account. */
  facts: Record<string, string>;
  /** Errors of the next calls, by call. */
  errors: Map<string, PlatformError>;
}

/** Tokens of 60 days that must be a day old before they can be renewed. */
export const sixtyDays = (now: number): Lifetime => ({ renew_at: now + DAY, expires_at: now + 60 * DAY });

/**
 * A connector with everything that a connector can have: two OAuth ways, one with required targets that have page tokens;
 * renewal of a token by itself, not before it is a day old; facts, a lookup, insights and app fields.
 */
export function fakeConnector() {
  const state: FakePlatformState = {
    calls: [],
    apps: [],
    pages: [page('p1'), page('p2')],
    lifetime: sixtyDays,
    grant: {},
    attributes: {},
    facts: { tier: 'basic' },
    errors: new Map(),
  };

  const failIfWanted = (name: string) => {
    const error = state.errors.get(name);
    state.errors.delete(name);
    if (error) throw error;
  };

  const record = (name: string, app: { client_id: string; client_secret: string } | null) => {
    state.calls.push(name);
    state.apps.push(app && `${app.client_id}:${app.client_secret}`);
    failIfWanted(name);
  };

  const way = (id: string, more: Partial<OAuthWay<Credentials>> = {}): OAuthWay<Credentials> => ({
    kind: 'oauth',
    id,
    scopes: [`${id}.publish`],
    authorizeUrl: ({ app, state: oauthState }) =>
      `https://fake.example/${id}?${new URLSearchParams({ client_id: app.client_id, state: oauthState }).toString()}`,
    exchange: async ({ app, code }, { now }) => {
      record('exchange', app);
      const grant = grantOf(id, code, state.lifetime(now()));
      return Promise.resolve({
        ...grant,
        credentials: { ...grant.credentials, ...state.grant },
        attributes: { ...grant.attributes, ...state.attributes },
      });
    },
    ...more,
  });

  const connector: Connector = defineConnector<Credentials>({
    credentials: CredentialsSchema,
    ways: [way('personal'), way('business', { targets: 'required' })],
    targets: 'none',
    app_fields: { kind: v.optional(v.picklist(['self_serve', 'community']), 'self_serve') },
    listTargets: async ({ app }) => {
      record('listTargets', app);
      return Promise.resolve(state.pages);
    },
    renews_valid_token_only: true,
    renew: async ({ app, credentials }, { now }) => {
      record('renew', app);
      const { user_token, generation } = credentials;
      const renewed = { user_token, generation: generation + 1 };
      return Promise.resolve({ credentials: renewed, ...state.lifetime(now()) });
    },
    checkApp: async () => {
      failIfWanted('checkApp');
      return Promise.resolve();
    },
    revoke: ({ app }) => {
      record('revoke', app);
      return Promise.resolve();
    },
    facts: {
      max_age_ms: DAY,
      read: async ({ app }: ConnectedAccount<Credentials>) => {
        record('facts', app);
        return Promise.resolve({ attributes: state.facts });
      },
    },
  });

  const lookup: Lookup = defineLookup(CredentialsSchema, {
    name: 'boards',
    operation_id: 'listFakeBoards',
    method: 'GET',
    summary: 'List boards',
    input: { filter: v.optional(v.picklist(['public', 'secret']), 'public') },
    answer: v.object({ boards: v.array(v.string()), of: v.string(), target: v.nullable(v.string()) }),
    run: async ({ app, credentials, target }, { filter }) => {
      record('lookup', app);
      const { user_token } = credentials;
      return Promise.resolve({ boards: [`${filter} board`], of: user_token, target: target?.id ?? null });
    },
  });

  const insights: InsightsReader = defineInsights({
    credentials: CredentialsSchema,
    batch: 10,
    read: async ({ authorize }, ids) => {
      const { app, target, credentials } = await authorize();
      record(`read of ${credentials.user_token} on ${target?.id ?? 'none'}`, app);
      const metrics: Metrics = { likes: 1, comments: 0, shares: 0, views: null };
      return new Map(ids.map(id => [id, metrics]));
    },
  });

  return { connector, lookup, insights, state };
}

function grantOf(way: string, user: string, lifetime: Lifetime): Grant<Credentials> {
  return {
    account: { platform_user_id: user, display_name: user, username: user, avatar_url: null },
    credentials: { user_token: `user token of ${user}`, generation: 1 },
    scopes: [`${way}.publish`],
    attributes: { tier: 'unknown' },
    ...lifetime,
  };
}

/** Registers a connector as that of `FAKE_PLATFORM`; returns a function that restores the platform's own. */
export function register(connector: Connector): () => void {
  const use = (used: Connector | undefined) => {
    Object.assign(CONNECTORS, { [FAKE_PLATFORM]: used });
    Object.assign(LOAD_CONNECTOR, { [FAKE_PLATFORM]: used && (() => Promise.resolve(used)) });
  };
  const own = CONNECTORS[FAKE_PLATFORM];
  use(connector);
  return () => use(own);
}

export const platformError = (kind: PlatformError['kind']) =>
  new PlatformError({
    kind,
    code: kind === 'token_expired' ? 'TOKEN_EXPIRED' : 'PLATFORM_UNAVAILABLE',
    message: 'no',
  });
