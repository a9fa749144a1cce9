import { saveAttributes, withFreshFacts } from '../connections/facts.ts';
import { loadAccount, type LoadedAccount } from '../connections/load.ts';
import { hasValidCredentials, loadFreshAccount, renewAccount } from '../connections/renew.ts';
import { targetIdOf } from '../connections/target-choice.ts';
import { withCopiedMedia } from '../media/copies/copy-media.ts';
import { mediaFiles } from '../media/media-files.ts';
import { hasBegun, isFinal, type Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import { createHttpClient } from '../net/http.ts';
import { platformHttp } from '../net/platform-http.ts';
import type { PlatformError } from '../platforms/contract/error.ts';
import type { PublishJob, Publisher, StepContext } from '../platforms/contract/publisher.ts';
import { LOAD_RULES } from '../platforms/registry/load-rules.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { openQuota } from '../quota/quota.ts';
import { getConnection } from '../store/connections.ts';
import { createIdentify } from './identify.ts';
import { jobOf } from './job.ts';
import type { DeliveryRun } from './run.ts';
import { stepReserveMs } from './timing.ts';

/** What the steps of one destination work with. */
export interface DeliveryContext {
  job: PublishJob;
  publisher: Publisher;
  /** Opens the account. Credentials that were refused with `refusal` are renewed first. Throws PlatformError. */
  context: (refusal: PlatformError | null) => Promise<StepContext<unknown>>;
  /** What the post goes to, as the destination stores it. */
  owner: Pick<Destination, 'social_account_id' | 'target_id'>;
  /** Returns the connection as it is stored now; a renewal changes its revision. */
  connection: () => Connection;
  settleMs: number;
  /** A step starts only while this much of the invocation is left. Milliseconds. */
  stepReserveMs: number;
  close: () => void;
}

/**
 * Prepares the steps of a destination. Returns null when the profile has no usable account on the platform, or another one
 * than the destination began with, or the service has no publisher for it. Credentials are opened, and renewed when they are
 * about to expire, by the first step. Stale account facts are read again for an attempt; what follows a final destination
 * uses those of its attempt.
 */
export async function openDeliveryContext(
  run: DeliveryRun,
  post: Post,
  destination: Destination,
): Promise<DeliveryContext | null> {
  const { services, publishers, remainingMs } = run;
  const { platform } = destination;
  const stored = await getConnection(services.table, post.workspace_id, post.profile_id, platform);
  const publisher = publishers[platform];
  if (!publisher || !stored || !hasValidCredentials(stored, services.now())) return null;
  if (stored.id !== destination.social_account_id && hasBegun(destination)) return null;
  const connection = isFinal(destination) ? stored : await withFreshFacts(services, stored);
  const client = createHttpClient();
  const rules = await LOAD_RULES[platform]();
  const job = jobOf(rules, await withCopiedMedia(services, post), connection);
  const files = mediaFiles({ http: client, bucket: services.bucket, rules, draft: job });
  const { target_id: targetId = targetIdOf(connection, job.options) } = destination;
  let account: LoadedAccount | null = null;

  return {
    job,
    publisher,
    context: async refusal => {
      if (refusal) {
        account ??= await loadAccount(services, connection, targetId);
        account = await renewAccount(services, account, refusal);
      }
      account ??= await loadFreshAccount(services, connection, targetId);
      const { connection: current } = account;
      return {
        job,
        account: job.account,
        target: account.target,
        credentials: account.credentials,
        app: account.app,
        quota: openQuota(services, { app: account.app, account_id: connection.platform_user_id }, platform),
        http: platformHttp(platform, client),
        media: client,
        files,
        identify: createIdentify(services, rules, post, connection),
        saveAttributes: changed => saveAttributes(services, current, changed),
        now: services.now,
        remainingMs,
      };
    },
    owner: {
      social_account_id: connection.id,
      ...(BASICS[platform].target_field !== undefined && { target_id: targetId }),
    },
    connection: () => account?.connection ?? connection,
    settleMs: rules.settle_ms,
    stepReserveMs: stepReserveMs(platform),
    close: () => client.close(),
  };
}
