import type { Target } from '../../shared/platforms/contract/connector.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { connector } from '../../shared/platforms/instagram/connect.ts';
import { rules } from '../../shared/platforms/instagram/rules.ts';
import { APP, FACEBOOK_APP } from '../../shared/platforms/instagram/sandbox/state.ts';
import { draftFor, textsFor, type PostContent } from '../../shared/platforms/kit/draft.ts';
import { PUBLIC } from '../../shared/store/objects.ts';
import { connectContext, connectedAccount, type AnyGrant } from './connectors.ts';
import type { DriveOptions } from './drive.ts';
import { memoryBucket, type MemoryBucket } from './memory-bucket.ts';
import type { TestSandbox } from './sandbox-host.ts';

export const REDIRECT = 'http://localhost:3000/v1/integrations/instagram/callback';

export type WayId = 'instagram' | 'facebook';

export function wayOf(id: WayId) {
  const way = connector.ways.find(each => each.id === id);
  if (way?.kind !== 'oauth') throw new Error(`There is no way ${id}`);
  return way;
}

export const appOf = (id: WayId) => (id === 'instagram' ? APP : FACEBOOK_APP);

/** Authorizes the app as the user's browser does; `as` selects the account. Returns what `exchange` takes. */
export async function authorize(host: TestSandbox, id: WayId, more: Record<string, string> = {}) {
  const page = wayOf(id).authorizeUrl({
    app: appOf(id),
    state: 'state-1',
    redirect_uri: REDIRECT,
    code_challenge: '',
  });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { status, headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const back = headers['location'] === undefined ? null : new URL(headers['location']).searchParams;
  return {
    app: appOf(id),
    status,
    back,
    code: back?.get('code') ?? '',
    redirect_uri: REDIRECT,
    code_verifier: '',
  };
}

export async function connect(
  host: TestSandbox,
  id: WayId = 'instagram',
  more: Record<string, string> = {},
): Promise<AnyGrant> {
  return (await wayOf(id).exchange(await authorize(host, id, more), connectContext(host))) as AnyGrant;
}

/** A connected account with what publishing to it needs. */
export interface Connected {
  way: WayId;
  grant: AnyGrant;
  target: Target | null;
}

export async function connected(
  host: TestSandbox,
  way: WayId = 'instagram',
  more: Record<string, string> = {},
): Promise<Connected> {
  const grant = await connect(host, way, more);
  const account = { ...connectedAccount(grant, { app: appOf(way) }), way };
  const [target = null] = (await connector.listTargets?.(account, connectContext(host))) ?? [];
  return { way, grant, target };
}

export function jobOf(host: TestSandbox, { grant }: Connected, content: Partial<PostContent>): PublishJob {
  const post: PostContent = {
    post_type: 'image',
    title: null,
    description: 'Hello',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    ...content,
  };
  const { draft, violations } = draftFor(rules, post);
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
  const { platform_user_id, username } = grant.account;
  return {
    ...draft,
    ...textsFor(rules, draft),
    post_id: 'post-1',
    platform: 'instagram',
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
  };
}

/** Returns a bucket whose files the sandbox can fetch. */
export function servedBucket(host: TestSandbox): MemoryBucket {
  const bucket = memoryBucket();
  const set = bucket.objects.set.bind(bucket.objects);
  bucket.objects.set = (key, object) => {
    host.addMedia(key.slice(PUBLIC.length), object.bytes);
    return set(key, object);
  };
  return { ...bucket, publicUrl: `${host.url}/_media` };
}

export const optionsOf = (
  { http, media, now, advance }: TestSandbox,
  { way, grant, target }: Connected,
  bucket: MemoryBucket,
): DriveOptions => ({
  credentials: grant.credentials,
  target,
  app: appOf(way),
  http,
  media,
  bucket,
  now,
  advance,
  remainingMs: () => 300_000,
});
