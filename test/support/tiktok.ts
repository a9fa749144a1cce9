import { createHash } from 'node:crypto';
import type { AppCredentials } from '../../shared/model/platform-app.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { draftFor, textsFor } from '../../shared/platforms/kit/draft.ts';
import { connector } from '../../shared/platforms/tiktok/connect.ts';
import { rules } from '../../shared/platforms/tiktok/rules.ts';
import { APP } from '../../shared/platforms/tiktok/sandbox/state.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import { connectContext, oauthWay, type AnyGrant } from './connectors.ts';
import type { DriveOptions } from './drive.ts';
import type { TestSandbox } from './sandbox-host.ts';

export const REDIRECT = 'https://app.example.com/v1/integrations/tiktok/callback';
/** The redirect URI of the local stack, for which TikTok demands PKCE. */
export const LOCAL_REDIRECT = 'http://localhost:3000/v1/integrations/tiktok/callback';

const VERIFIER = 'verifier-of-43-to-128-characters-0123456789abcdef';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Gives access as the user's browser does; `as` selects the account. Returns the parameters of the callback. */
export async function authorize(
  host: TestSandbox,
  more: Record<string, string> = {},
  redirect_uri = REDIRECT,
) {
  const page = oauthWay(connector).authorizeUrl({
    app: APP,
    state: 'state-1',
    redirect_uri,
    code_challenge: CHALLENGE,
  });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { status, headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const back = headers['location'] === undefined ? null : new URL(headers['location']).searchParams;
  return { app: APP, status, back, code: back?.get('code') ?? '', redirect_uri, code_verifier: VERIFIER };
}

/** Connects an account: Demo, or the one that `as` names. */
export async function connect(
  host: TestSandbox,
  more: Record<string, string> = {},
  app: AppCredentials = APP,
): Promise<AnyGrant> {
  const authorized = await authorize(host, more);
  return (await oauthWay(connector).exchange({ ...authorized, app }, connectContext(host))) as AnyGrant;
}

let posts = 0;

/** A job as delivery makes it: options with their defaults, texts as they are sent. */
export function jobOf(
  host: TestSandbox,
  grant: AnyGrant,
  { options, ...more }: Partial<PublishJob> & { options?: JsonObject } = {},
): PublishJob {
  posts += 1;
  const { platform_user_id, username } = grant.account;
  const account = { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes };
  const content = {
    post_type: 'video' as const,
    title: null,
    description: `Post ${posts}`,
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    ...more,
    options: { tiktok_privacy_level: 'PUBLIC_TO_EVERYONE', ...options },
  };
  const { draft } = draftFor(rules, content, account);
  return {
    ...draft,
    ...textsFor(rules, draft),
    post_id: `post-${posts}`,
    platform: 'tiktok',
    account,
    due_at: host.now(),
    created_at: host.now(),
  };
}

/** A worker with the time of the platform's functions, and a bucket from which TikTok fetches photos. */
export const optionsOf = (
  { http, media, now, advance }: TestSandbox,
  grant: AnyGrant,
  bucket: Bucket,
  app: AppCredentials = APP,
): DriveOptions => ({
  credentials: grant.credentials,
  app,
  http,
  media,
  bucket,
  now,
  advance,
  remainingMs: () => rules.worker.timeout_s * 1000,
});
