import * as v from 'valibot';
import { DAY } from '../../time/instant.ts';
import type { AppCredentials } from '../contract/connector.ts';

/** The version that the service is written for. LinkedIn publishes one each month. */
const DEFAULT_VERSION = '202609';
const WARN_AHEAD_MS = 60 * DAY;

/** Scopes that LinkedIn grants to a Community Management app on request. */
const EXTRA_SCOPES = [
  'w_member_social_feed',
  'w_organization_social_feed',
  'r_organization_social_feed',
  'r_member_postAnalytics',
] as const;

/**
 * Fields of the app. LinkedIn has two kinds of apps whose products cannot be mixed: one with Share on LinkedIn and Sign In
 * with LinkedIn, and one with nothing but the Community Management API.
 */
export const APP_FIELDS = {
  kind: v.optional(
    v.pipe(
      v.picklist(['self_serve', 'community'], 'Must be self_serve or community'),
      v.description(
        'Kind of the LinkedIn app: `self_serve`, or `community` for the Community Management API',
      ),
    ),
    'self_serve',
  ),
  api_version: v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.regex(/^20\d\d(?:0[1-9]|1[0-2])$/, `Must be a year and month such as ${DEFAULT_VERSION}`),
      v.description(`Version of LinkedIn's API, sent as LinkedIn-Version; default ${DEFAULT_VERSION}`),
    ),
  ),
  extra_scopes: v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.check(
        text => scopesIn(text).every(scope => EXTRA_SCOPES.some(known => known === scope)),
        `Must be a list, separated by spaces, of ${EXTRA_SCOPES.join(', ')}`,
      ),
      v.description('Further scopes that LinkedIn has granted to a `community` app, separated by spaces'),
    ),
  ),
} satisfies v.ObjectEntries;

const AppSchema = v.object(APP_FIELDS);
export type AppKind = v.InferOutput<typeof AppSchema>['kind'];

/** What the service needs to know of an app besides id and secret. */
export interface LinkedInApp {
  kind: AppKind;
  version: string;
  /** Scopes to ask for. A scope that the app does not have makes the whole login fail. */
  scopes: readonly string[];
}

const SCOPES: Readonly<Record<AppKind, readonly string[]>> = {
  self_serve: ['openid', 'profile', 'email', 'w_member_social'],
  community: [
    'r_basicprofile',
    'w_member_social',
    'w_organization_social',
    'r_organization_social',
    'rw_organization_admin',
  ],
};
export const DEFAULT_SCOPES = SCOPES.self_serve;

/** Reads the app's own fields; unusable ones count as absent. */
export function readApp(app: AppCredentials | null): LinkedInApp {
  const parsed = v.safeParse(AppSchema, app ?? {});
  const { kind, api_version, extra_scopes } = parsed.success ? parsed.output : v.parse(AppSchema, {});
  const extra = kind === 'community' ? scopesIn(extra_scopes ?? '') : [];
  return { kind, version: api_version ?? DEFAULT_VERSION, scopes: [...SCOPES[kind], ...extra] };
}

const scopesIn = (text: string) => text.split(/\s+/).filter(Boolean);

/** Returns a warning from 60 days before LinkedIn switches off the version that an app uses; null until then. */
export function versionNotice(app: AppCredentials, now: number): string | null {
  const { version } = readApp(app);
  const end = endOf(version);
  if (end - now > WARN_AHEAD_MS) return null;
  const day = new Date(end).toISOString().slice(0, 10);
  const tense = end > now ? `ends about ${day}` : `ended about ${day}`;
  return `Version ${version} of LinkedIn's API ${tense}: set api_version of the LinkedIn app to a newer one`;
}

/** A version ends between the 15th and the 17th of its month, one year later. Returns epoch milliseconds. */
function endOf(version: string): number {
  return Date.UTC(Number(version.slice(0, 4)) + 1, Number(version.slice(4)) - 1, 15);
}
