import type { Checkpoint, PublishedPost } from '../../../shared/model/destination.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { AppCredentials, Target } from '../../../shared/platforms/contract/connector.ts';
import type { PublishJob } from '../../../shared/platforms/contract/publisher.ts';

/** What is stored of a post while it is published, as the table stores it. */
export interface Stored {
  /** Null before the first step. */
  checkpoint: Checkpoint | null;
  /** When the intent of a commit was stored whose outcome is unknown, epoch milliseconds; null if there is none. */
  intent_at: number | null;
  /** A commit was lost before. */
  lost_commit: boolean;
}

/** What the publisher's process is started with. */
export interface PublishTask {
  job: PublishJob;
  credentials: JsonObject;
  target: Target | null;
  app: AppCredentials | null;
  stored: Stored;
  /** The sandbox's clock, epoch milliseconds. */
  now: number;
  sandbox_url: string;
  bucket_url: string;
}

/** What the publisher's process reports. */
export type Report =
  | { type: 'stored'; stored: Stored }
  /** Time passes until the next invocation. */
  | { type: 'waits'; ms: number }
  | { type: 'published'; post: PublishedPost };
