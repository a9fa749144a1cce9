import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { connector } from '../../shared/platforms/threads/connect.ts';
import { rules } from '../../shared/platforms/threads/rules.ts';
import { APP } from '../../shared/platforms/threads/sandbox/state.ts';
import { connectContext, oauthWay, type AnyGrant } from './connectors.ts';
import type { TestSandbox } from './sandbox-host.ts';

export const REDIRECT = 'https://app.example.com/v1/integrations/threads/callback';

/** Logs in as the user's browser does; `as` selects the account. Returns the parameters of the callback. */
export async function authorize(host: TestSandbox, more: Record<string, string> = {}) {
  const page = oauthWay(connector).authorizeUrl({
    app: APP,
    state: 'state-1',
    redirect_uri: REDIRECT,
    code_challenge: '',
  });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const answer = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const location = answer.headers['location'];
  const back = location === undefined ? null : new URL(location).searchParams;
  return {
    app: APP,
    status: answer.status,
    page: answer.body.toString('utf8'),
    location,
    back,
    code: back?.get('code') ?? '',
    redirect_uri: REDIRECT,
    code_verifier: '',
  };
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
    platform: 'threads',
    text: rules.shape(draft),
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
    ...more,
  };
}
