import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { writeMetrics } from '../runtime/metrics.ts';
import { SECOND } from '../time/instant.ts';

/** Writes how an attempt ended, for the dashboard and for queries. A destination that waits for its platform has not ended. */
export function reportAttempt(post: Post, destination: Destination): void {
  const { platform, attempts } = destination;
  const details = {
    post_id: post.post_id,
    workspace_id: post.workspace_id,
    platform,
    attempt: `${attempts}`,
  };
  switch (destination.status) {
    case 'published': {
      const late_s = Math.max(0, destination.published_at - post.due_at) / SECOND;
      writeMetrics('publishing', { published: 1, late_s }, details);
      break;
    }
    case 'failed':
      writeMetrics('publishing', { failed: 1 }, { ...details, code: destination.error.code });
      break;
    case 'retrying':
      writeMetrics('publishing', { retried: 1 }, { ...details, code: destination.error.code });
      break;
    case 'pending':
    case 'publishing':
    case 'processing':
    case 'cancelled':
      break;
  }
}
