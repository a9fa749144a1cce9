import type { AppCredentials } from '../../shared/model/platform-app.ts';
import { draftFor } from '../../shared/platforms/kit/draft.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { connector } from '../../shared/platforms/snapchat/connect.ts';
import { rules } from '../../shared/platforms/snapchat/rules.ts';
import { APP } from '../../shared/platforms/snapchat/sandbox/state.ts';
import { connectContext, oauthWay, type AnyGrant } from './connectors.ts';
import type { TestSandbox } from './sandbox-host.ts';

export const REDIRECT = 'https://app.example.com/v1/integrations/snapchat/callback';

/** Gives access as the user's browser does; `as` selects the account. Returns the parameters of the callback. */
export async function authorize(
  host: TestSandbox,
  more: Record<string, string> = {},
  app: AppCredentials = APP,
) {
  const input = { app, state: 'state-1', redirect_uri: REDIRECT, code_challenge: '' };
  const url = new URL(oauthWay(connector).authorizeUrl(input));
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { status, headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const back = headers['location'] === undefined ? null : new URL(headers['location']).searchParams;
  return { app, status, back, code: back?.get('code') ?? '', redirect_uri: REDIRECT, code_verifier: '' };
}

export async function connect(host: TestSandbox, more: Record<string, string> = {}): Promise<AnyGrant> {
  return (await oauthWay(connector).exchange(await authorize(host, more), connectContext(host))) as AnyGrant;
}

export function jobOf(host: TestSandbox, grant: AnyGrant, more: Partial<PublishJob> = {}): PublishJob {
  const { draft } = draftFor(rules, {
    post_type: 'image',
    title: null,
    description: null,
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    ...more,
  });
  const { platform_user_id, username } = grant.account;
  return {
    ...draft,
    post_id: 'post-1',
    platform: 'snapchat',
    text: rules.shape(draft),
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
  };
}
