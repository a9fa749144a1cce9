import { firstCommentOf, followUpsOf, isFinal, type Destination } from '../../model/destination.ts';
import { destinationsOf, statusOf, type Post } from '../../model/post.ts';
import { toIso, toIsoOrNull } from '../../time/instant.ts';
import type { PostRecord } from './view.ts';

/** Returns a post as the API shows it. */
export function postRecord(post: Post): PostRecord {
  const destinations = destinationsOf(post);
  return {
    post_id: post.post_id,
    workspace_id: post.workspace_id,
    profile_id: post.profile_id,
    profile_name: post.profile_name,
    post_type: post.post_type,
    status: statusOf(post),
    platforms: destinations.map(destination => destination.platform),
    title: post.title,
    description: post.description,
    media_urls: post.media_urls,
    media_alt_texts: post.media_alt_texts ?? [],
    first_comment: post.first_comment,
    scheduling: post.scheduling,
    scheduled_date: scheduledDate(post),
    auto_truncate: post.auto_truncate,
    ...post.options,
    created_by: post.created_by,
    created_at: toIso(post.created_at),
    updated_at: toIso(Math.max(post.updated_at, ...destinations.map(destination => destination.changed_at))),
    published_at: toIsoOrNull(publishedAt(destinations)),
    destinations: destinations.map(destinationRecord),
  };
}

/** Returns the `scheduled_date` of a post; null for an immediate one. */
export const scheduledDate = ({ scheduling, due_at }: Post): string | null =>
  scheduling === 'immediate' ? null : toIso(due_at);

/** Returns when the last destination was published; null while any is pending and where none was published. */
function publishedAt(destinations: readonly Destination[]): number | null {
  if (!destinations.every(isFinal)) return null;
  const times = destinations.flatMap(each => (each.status === 'published' ? [each.published_at] : []));
  return times.length === 0 ? null : Math.max(...times);
}

function destinationRecord(destination: Destination): PostRecord['destinations'][number] {
  const live = destination.status === 'published' ? destination : null;
  const waiting = destination.status === 'processing' || destination.status === 'retrying';
  const failed = destination.status === 'failed' || destination.status === 'retrying';
  return {
    platform: destination.platform,
    social_account_id: destination.social_account_id,
    status: destination.status,
    platform_post_id: live?.platform_post_id ?? null,
    platform_post_url: live?.platform_post_url ?? null,
    published_at: toIsoOrNull(live?.published_at ?? null),
    attempts: destination.attempts,
    next_attempt_at: waiting ? toIso(destination.next_attempt_at) : null,
    error: failed ? destination.error : null,
    first_comment: firstCommentOf(destination),
    follow_ups: followUpsOf(destination),
  };
}
