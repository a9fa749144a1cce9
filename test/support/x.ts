import { createHash, randomBytes } from 'node:crypto';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { connector } from '../../shared/platforms/x/connect.ts';
import { rules } from '../../shared/platforms/x/rules.ts';
import { APP } from '../../shared/platforms/x/sandbox/state.ts';
import { connectContext, oauthWay, type AnyGrant } from './connectors.ts';
import type { DriveOptions } from './drive.ts';
import { sampleFiles } from './media.ts';
import type { TestSandbox } from './sandbox-host.ts';

export const REDIRECT = 'http://localhost:3000/v1/integrations/x/callback';

/** Authorizes the app as the user's browser does; `as` selects the account. Returns the parameters of the callback. */
export async function authorize(host: TestSandbox, more: Record<string, string> = {}) {
  const code_verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  const page = oauthWay(connector).authorizeUrl({
    app: APP,
    state: 'state-1',
    redirect_uri: REDIRECT,
    code_challenge,
  });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { status, headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const back = headers['location'] === undefined ? null : new URL(headers['location']).searchParams;
  return { app: APP, status, back, code: back?.get('code') ?? '', redirect_uri: REDIRECT, code_verifier };
}

export async function connect(host: TestSandbox, more: Record<string, string> = {}): Promise<AnyGrant> {
  return (await oauthWay(connector).exchange(await authorize(host, more), connectContext(host))) as AnyGrant;
}

export function jobOf(host: TestSandbox, grant: AnyGrant, more: Partial<PublishJob> = {}): PublishJob {
  const draft = {
    post_type: 'text' as const,
    title: null,
    description: 'Hello',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    account: null,
    ...more,
  };
  const { platform_user_id, username } = grant.account;
  return {
    ...draft,
    post_id: 'post-1',
    platform: 'x',
    text: rules.shape(draft),
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
    ...more,
  };
}

export const optionsOf = ({ http, media, now, advance }: TestSandbox, grant: AnyGrant): DriveOptions => ({
  credentials: grant.credentials,
  http,
  media,
  now,
  advance,
});

const CLIP = (await sampleFiles())('clip.mp4');
const BOX_HEADER_BYTES = 8;

/** Returns an MP4 of exactly this size, larger than the clip that it begins with: noise in a box that players skip. */
export function fakeVideo(size: number): Buffer {
  const head = Buffer.alloc(BOX_HEADER_BYTES);
  head.writeUInt32BE(size - CLIP.length);
  head.write('free', 4);
  return Buffer.concat([CLIP, head, randomBytes(size - CLIP.length - head.length)]);
}

/** Returns an MP4 of exactly this size, as small as any, that has no track. */
export function noiseVideo(size: number): Buffer {
  const head = Buffer.from(
    '0000001c667479706d703432000000006d70343269736f6d61766331000000086d6f6f76000000006d646174',
    'hex',
  );
  head.writeUInt32BE(size - 36, 36);
  return Buffer.concat([head, randomBytes(size - head.length)]);
}
