import {
  isUsable,
  openAccount,
  renewAccount,
  usableAccount,
  type OpenAccount,
} from '../connections/credentials.ts';
import { withCopies } from '../media/copy-media.ts';
import { mediaFiles } from '../media/files.ts';
import type { DestinationOf } from '../model/destination.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import { createHttpClient } from '../net/http.ts';
import { platformHttp } from '../net/platform-http.ts';
import type { StepContext } from '../platforms/contract/publisher.ts';
import { RULES } from '../platforms/registry.ts';
import { getConnection } from '../store/connections.ts';
import { SECOND } from '../time/instant.ts';
import type { Attempt } from './attempt.ts';
import type { DeliveryRun } from './deliver.ts';
import { jobOf } from './job.ts';

/** The tools of one attempt: the opened account, the clients, the platform's publisher. */
export interface DeliveryContext {
  attempt: Omit<Attempt, 'takesOver'>;
  /** The account as it is stored now: renewed ones have a newer revision. */
  connection: () => Connection;
  close: () => void;
}

/** Share of a function's time that a step may need, where the platform's rules do not say. */
const DEFAULT_RESERVE = 0.4;

/**
 * Prepares an attempt; null when the profile has no usable account at the platform, or the service no publisher for it.
 * Secrets are opened, and renewed where they are about to end, when the first step asks for them.
 */
export async function openDeliveryContext(
  run: DeliveryRun,
  post: Post,
  platform: PlatformId,
  save: (to: DestinationOf<'publishing'>) => Promise<void>,
): Promise<DeliveryContext | null> {
  const connection = await getConnection(run.services.table, post.workspace_id, post.profile_id, platform);
  const publisher = run.publishers[platform];
  if (!publisher || !connection || !isUsable(connection, run.services.now())) return null;
  const client = createHttpClient();
  const job = jobOf(await withCopies(run.services, post), connection);
  const rules = RULES[platform];
  const { worker, settle_ms } = rules;
  const files = mediaFiles({ http: client, bucket: run.services.bucket, rules, draft: job });
  let account: OpenAccount | null = null;

  const context = async (renew: boolean): Promise<StepContext> => {
    if (renew)
      account = await renewAccount(run.services, account ?? (await openAccount(run.services, connection)));
    account ??= await usableAccount(run.services, connection);
    return {
      job,
      credentials: account.credentials,
      http: platformHttp(platform, client),
      media: client,
      files,
      now: run.services.now,
      remainingMs: run.remainingMs,
    };
  };

  return {
    attempt: {
      post,
      job,
      publisher,
      context,
      save,
      sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
      now: run.services.now,
      remainingMs: run.remainingMs,
      settleMs: settle_ms,
      stepReserveMs: (worker.request_s ?? worker.timeout_s * DEFAULT_RESERVE) * SECOND,
    },
    connection: () => account?.connection ?? connection,
    close: () => client.close(),
  };
}
