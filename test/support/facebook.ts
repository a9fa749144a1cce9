import type { Checkpoint } from '../../shared/model/destination.ts';
import type { Target } from '../../shared/platforms/contract/connector.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { connector } from '../../shared/platforms/facebook/connect.ts';
import { publisher } from '../../shared/platforms/facebook/publish.ts';
import { rules } from '../../shared/platforms/facebook/rules.ts';
import { APP } from '../../shared/platforms/facebook/sandbox/state.ts';
import { draftFor } from '../../shared/platforms/kit/draft.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import { connectContext, connectedAccount, oauthWay, type AnyGrant } from './connectors.ts';
import { drive, reconcile, type DriveOptions, type Driven } from './drive.ts';
import type { TestSandbox } from './sandbox-host.ts';

const REDIRECT = 'http://localhost:3000/v1/integrations/facebook/callback';

/** Authorizes the app as the user's browser does; `as` selects the user. Returns the input of the exchange. */
export async function authorize(host: TestSandbox, more: Record<string, string> = {}) {
  const page = oauthWay(connector).authorizeUrl({
    app: APP,
    state: 'state-1',
    redirect_uri: REDIRECT,
    code_challenge: 'unused',
  });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const code = new URL(headers['location'] ?? 'http://none').searchParams.get('code') ?? '';
  return { app: APP, code, redirect_uri: REDIRECT, code_verifier: 'unused' };
}

export async function connect(host: TestSandbox, more: Record<string, string> = {}): Promise<AnyGrant> {
  return (await oauthWay(connector).exchange(await authorize(host, more), connectContext(host))) as AnyGrant;
}

export const accountOf = (grant: AnyGrant) => connectedAccount(grant, { app: APP });

/** Connects and returns the first Page as a target. */
export async function connectPage(host: TestSandbox, more: Record<string, string> = {}) {
  const grant = await connect(host, more);
  const [target] = await connector.listTargets!(accountOf(grant), connectContext(host));
  return { grant, target: target! };
}

export function jobOf(
  host: TestSandbox,
  grant: AnyGrant,
  { options = {}, ...more }: Partial<PublishJob> = {},
): PublishJob {
  const { draft } = draftFor(rules, {
    post_type: 'text',
    title: null,
    description: 'Hello',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options,
    ...more,
  });
  const { platform_user_id, username } = grant.account;
  return {
    ...draft,
    post_id: 'post-1',
    platform: 'facebook',
    text: rules.shape(draft),
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
    ...(more.alt_texts ? { alt_texts: more.alt_texts } : {}),
  };
}

export const optionsOf = (
  { http, media, now, advance }: TestSandbox,
  grant: AnyGrant,
  target: Target | null,
  bucket: Bucket,
): DriveOptions => ({
  credentials: grant.credentials,
  target,
  app: APP,
  http,
  media,
  bucket,
  now,
  advance,
});

const SETTLE_MS = 60_000;
const MAX_ATTEMPTS = 8;

/** Publishes as delivery does: from the last checkpoint after a failure, and after reconciling a lost commit. */
export async function deliver(job: PublishJob, options: DriveOptions): Promise<Driven['post'] | 'unknown'> {
  let from: Checkpoint = publisher.start(job);
  const onCheckpoint = (checkpoint: Checkpoint) => void (from = checkpoint);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const startedAt = options.now();
    try {
      return (await drive(publisher, job, { ...options, from, onCheckpoint })).post;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'transient') throw error;
      if (from.step === 'publish' && error.outcomeUnknown) {
        const found = await findOut(job, from, startedAt, options);
        if (found === 'unknown' || found !== 'absent') return found;
      }
      options.advance(SETTLE_MS);
    }
  }
  throw new Error('The post was not published');
}

async function findOut(
  job: PublishJob,
  checkpoint: Checkpoint,
  intentAt: number,
  options: DriveOptions,
): Promise<Driven['post'] | 'unknown' | 'absent'> {
  for (;;) {
    options.advance(SETTLE_MS);
    const finding = await reconcile(publisher, job, checkpoint, intentAt, options);
    if (finding.type === 'published') return finding.post;
    if (finding.type !== 'wait') return finding.type;
  }
}
