import type { JsonObject } from '../../shared/model/json.ts';
import type { AppCredentials, Target } from '../../shared/platforms/contract/connector.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { draftFor, textsFor } from '../../shared/platforms/kit/draft.ts';
import { connector } from '../../shared/platforms/linkedin/connect.ts';
import { rules } from '../../shared/platforms/linkedin/rules.ts';
import { sandbox } from '../../shared/platforms/linkedin/sandbox/server.ts';
import { SELF_SERVE } from '../../shared/platforms/linkedin/sandbox/state.ts';
import { connectContext, oauthWay, type AnyGrant } from './connectors.ts';
import type { DriveOptions } from './drive.ts';
import type { TestSandbox } from './sandbox-host.ts';

export const REDIRECT = 'http://localhost:3000/v1/integrations/linkedin/callback';

/** The two kinds of apps. */
export const SELF_SERVE_APP: AppCredentials = {
  client_id: SELF_SERVE.client_id,
  client_secret: SELF_SERVE.client_secret,
};
export const COMMUNITY_APP: AppCredentials = 'app' in sandbox.demo ? sandbox.demo.app : SELF_SERVE_APP;

export const PAGE: Target = {
  id: 'urn:li:organization:2414183',
  name: 'Demo Company',
  attributes: { role: 'ADMINISTRATOR' },
  secrets: null,
};

/** Authorizes an app as the user's browser does; `as` selects the member. Returns the parameters of the callback. */
export async function authorize(host: TestSandbox, app: AppCredentials, more: Record<string, string> = {}) {
  const page = oauthWay(connector).authorizeUrl({
    app,
    state: 'state-1',
    redirect_uri: REDIRECT,
    code_challenge: 'unused',
  });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { status, headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const back = headers['location'] === undefined ? null : new URL(headers['location']).searchParams;
  return { app, status, back, code: back?.get('code') ?? '', redirect_uri: REDIRECT, code_verifier: '' };
}

export async function connect(
  host: TestSandbox,
  app: AppCredentials = COMMUNITY_APP,
  more: Record<string, string> = {},
): Promise<AnyGrant> {
  const authorized = await authorize(host, app, more);
  return (await oauthWay(connector).exchange(authorized, connectContext(host))) as AnyGrant;
}

let posts = 0;

/** A job as delivery makes it: options with their defaults, texts as they are sent. */
export function jobOf(
  host: TestSandbox,
  grant: AnyGrant,
  more: Partial<PublishJob> & { options?: JsonObject } = {},
): PublishJob {
  posts += 1;
  const { platform_user_id, username } = grant.account;
  const account = { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes };
  const content = {
    post_type: 'text' as const,
    title: null,
    description: `Post ${posts}`,
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    ...more,
  };
  const { draft } = draftFor(rules, content, account);
  return {
    ...draft,
    ...textsFor(rules, draft),
    ...(more.alt_texts ? { alt_texts: more.alt_texts } : {}),
    post_id: `post-${posts}`,
    platform: 'linkedin',
    account,
    due_at: host.now(),
    created_at: host.now(),
  };
}

export const optionsOf = (
  { http, media, now, advance }: TestSandbox,
  grant: AnyGrant,
  app: AppCredentials = COMMUNITY_APP,
): DriveOptions => ({
  credentials: grant.credentials,
  app,
  http,
  media,
  now,
  advance,
  remainingMs: () => 200_000,
});
