import { statusOf, type Post } from '../../model/post.ts';
import type { Warning } from '../warning.ts';
import { scheduledDate } from './record.ts';
import type { CreatedPost } from './view.ts';

const MESSAGES: Readonly<Record<Post['scheduling'], string>> = {
  immediate: 'The post is being published',
  scheduled: 'The post is scheduled',
  queue: 'The post is in the queue',
  best_time: 'The post is scheduled for the best time',
};

/** Returns the response body of a created post. */
export function createdPost(post: Post, warnings: Warning[]): CreatedPost {
  return {
    message: MESSAGES[post.scheduling],
    post_id: post.post_id,
    destinations_count: Object.keys(post.destinations).length,
    received_type: post.post_type,
    is_immediate: post.scheduling === 'immediate',
    status: statusOf(post),
    scheduled_date: scheduledDate(post),
    warnings,
  };
}
