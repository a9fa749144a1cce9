import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { draftFor, textsFor } from '../../shared/platforms/kit/draft.ts';
import { connector } from '../../shared/platforms/youtube/connect.ts';
import { rules } from '../../shared/platforms/youtube/rules.ts';
import { APP } from '../../shared/platforms/youtube/sandbox/state.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { connectContext, oauthWay, type AnyGrant } from './connectors.ts';
import type { DriveOptions } from './drive.ts';
import { authorize } from './google.ts';
import type { TestSandbox } from './sandbox-host.ts';

/** Connects a channel; `as` selects another one than Demo. */
export async function connect(host: TestSandbox, more: Record<string, string> = {}): Promise<AnyGrant> {
  const input = await authorize(host, connector, APP, more);
  return (await oauthWay(connector).exchange(input, connectContext(host))) as AnyGrant;
}

/** Returns the job of a video post with these YouTube fields, as delivery makes it. */
export function jobOf(
  host: TestSandbox,
  grant: AnyGrant,
  options: JsonObject = {},
  more: Partial<PublishJob> = {},
): PublishJob {
  const { draft } = draftFor(rules, {
    post_type: 'video',
    title: 'Bread',
    description: 'How to bake',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    ...more,
    options,
  });
  const { platform_user_id, username } = grant.account;
  return {
    ...draft,
    ...textsFor(rules, draft),
    post_id: `post-${host.now()}`,
    platform: 'youtube',
    account: { connection_id: 'c1', platform_user_id, username, attributes: grant.attributes },
    due_at: host.now(),
    created_at: host.now(),
    ...more,
  };
}

export const optionsOf = ({ http, media, now, advance }: TestSandbox, grant: AnyGrant): DriveOptions => ({
  credentials: grant.credentials,
  app: APP,
  http,
  media,
  now,
  advance,
  remainingMs: () => rules.worker.timeout_s * 1000,
});
