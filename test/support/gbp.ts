import type { JsonObject } from '../../shared/model/json.ts';
import type { Target } from '../../shared/platforms/contract/connector.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { connector } from '../../shared/platforms/gbp/connect.ts';
import { rules } from '../../shared/platforms/gbp/rules.ts';
import { APP } from '../../shared/platforms/gbp/sandbox/state.ts';
import { draftFor, textsFor } from '../../shared/platforms/kit/draft.ts';
import { connectContext, connectedAccount, oauthWay, type AnyGrant } from './connectors.ts';
import { authorize } from './google.ts';
import type { TestSandbox } from './sandbox-host.ts';

/** Connects a Google user; `as` selects another one than Demo. */
export async function connect(host: TestSandbox, more: Record<string, string> = {}): Promise<AnyGrant> {
  const input = await authorize(host, connector, APP, more);
  return (await oauthWay(connector).exchange(input, connectContext(host))) as AnyGrant;
}

export const targetsOf = (host: TestSandbox, grant: AnyGrant): Promise<Target[]> =>
  connector.listTargets!(connectedAccount(grant, { app: APP }), connectContext(host));

/** Returns the job of a text post with these fields, as delivery makes it. */
export function jobOf(
  host: TestSandbox,
  grant: AnyGrant,
  options: JsonObject = {},
  more: Partial<PublishJob> = {},
): PublishJob {
  const { draft } = draftFor(rules, {
    post_type: 'text',
    title: null,
    description: 'Fresh bread from 7 am.',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    ...more,
    options,
  });
  const { platform_user_id, username } = grant.account;
  return {
    ...draft,
    post_id: `post-${host.now()}`,
    platform: 'gbp',
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
    ...more,
    ...textsFor(rules, draft),
  };
}
