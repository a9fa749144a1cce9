import { createHash } from 'node:crypto';
import {
  findWay,
  targetModeOf,
  type AppCredentials,
  type OAuthWay,
} from '../../../shared/platforms/contract/connector.ts';
import type { Destination } from '../../../shared/model/destination.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { PlatformId } from '../../../shared/model/platform.ts';
import type { Post } from '../../../shared/model/post.ts';
import { draftFor, textsFor } from '../../../shared/platforms/kit/draft.ts';
import { CONNECTORS } from '../../../shared/platforms/registry/connectors.ts';
import { RULES } from '../../../shared/platforms/registry/rules.ts';
import { SANDBOXES } from '../../../shared/platforms/registry/sandboxes.ts';
import { connectContext, connectedAccount } from '../../support/connectors.ts';
import { platformFields } from '../../support/platform-fields.ts';
import type { TestSandbox } from '../../support/sandbox-host.ts';
import type { PublishTask } from './messages.ts';

const REDIRECT = 'https://app.example.com/v1/integrations/callback';
const VERIFIER = 'verifier-of-43-to-128-characters-0123456789abcdef';

/** How to connect, where it is not the platform's default way. */
export interface OtherWay {
  id: string;
  app: AppCredentials;
}

/** Connects the sandbox's demo account, and returns a post with this video, with what publishing it needs. */
export async function demoPost(
  host: TestSandbox,
  platform: PlatformId,
  url: string,
  other: OtherWay | null,
): Promise<Omit<PublishTask, 'now' | 'sandbox_url' | 'bucket_url'>> {
  const connector = CONNECTORS[platform]!;
  const { demo } = SANDBOXES[platform]!;
  const way = findWay(connector, other?.id ?? connector.ways[0].id)!;
  const app = other?.app ?? ('app' in demo ? demo.app : null);
  const grant =
    way.kind === 'direct'
      ? await way.connect('body' in demo ? demo.body : {}, connectContext(host))
      : await authorize(host, way, app!);
  const connected = { ...connectedAccount(grant, { app }), way: way.id };
  const [target = null] =
    targetModeOf(connector, way.id) === 'none'
      ? []
      : ((await connector.listTargets?.(connected, connectContext(host))) ?? []);
  const { platform_user_id, username, attributes } = connected;
  const account = { connection_id: 'c1', platform_user_id, username, attributes };
  const now = host.now();
  const post = postOf(platform, url, now);
  const { draft, violations } = draftFor(RULES[platform], post, account);
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
  const ids = { post_id: post.post_id, platform, account, due_at: now, created_at: now };
  const job = { ...draft, ...textsFor(RULES[platform], draft), ...ids };
  return { post, job, destination: pendingOn(platform, now), credentials: grant.credentials, target, app };
}

const pendingOn = (platform: PlatformId, now: number): Destination => ({
  status: 'pending',
  platform,
  social_account_id: 'c1',
  revision: 1,
  attempts: 0,
  failures: 0,
  first_attempt_at: null,
  changed_at: now,
  outbox: [],
});

function postOf(platform: PlatformId, url: string, now: number): Post {
  return {
    post_id: '0195588e-8f7b-7000-8000-000000000001',
    workspace_id: 'w1',
    profile_id: 'p1',
    profile_name: 'Demo',
    post_type: 'video',
    title: 'A large video',
    description: 'Sent in parts',
    media_urls: [url],
    first_comment: null,
    auto_truncate: false,
    options: platformFields('video', [platform]),
    scheduling: 'immediate',
    due_at: now,
    version: 1,
    created_by: null,
    created_at: now,
    updated_at: now,
    destinations: {},
  };
}

/** Authorizes the app as the user's browser does. */
async function authorize(host: TestSandbox, way: OAuthWay<JsonObject>, app: AppCredentials) {
  const code_challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const page = new URL(way.authorizeUrl({ app, state: 'state-1', redirect_uri: REDIRECT, code_challenge }));
  page.searchParams.set('auto', 'allow');
  const { headers } = await host.http.send({ method: 'GET', url: page.href, timeoutMs: 30_000 });
  const code = new URL(headers['location'] ?? REDIRECT).searchParams.get('code') ?? '';
  return way.exchange({ app, code, redirect_uri: REDIRECT, code_verifier: VERIFIER }, connectContext(host));
}
