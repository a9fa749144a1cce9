import type { Destination, PublishedPost } from '../../../shared/model/destination.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Post } from '../../../shared/model/post.ts';
import type { AppCredentials, Target } from '../../../shared/platforms/contract/connector.ts';
import type { PublishJob } from '../../../shared/platforms/contract/publisher.ts';

/** What the publisher's process is started with. */
export interface PublishTask {
  post: Post;
  job: PublishJob;
  credentials: JsonObject;
  target: Target | null;
  app: AppCredentials | null;
  /** As it is stored: its checkpoint survives the process. */
  destination: Destination;
  /** The sandbox's clock, epoch milliseconds. */
  now: number;
  sandbox_url: string;
  bucket_url: string;
}

/** What the publisher's process reports. */
export type Report =
  | { type: 'stored'; destination: Destination }
  /** Time passes until the next invocation. */
  | { type: 'waits'; ms: number }
  | { type: 'published'; post: PublishedPost };
