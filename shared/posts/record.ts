import { isFinal, type Destination } from '../model/destination.ts';
import { destinationsOf, statusOf, type Post } from '../model/post.ts';
import { toIso, toIsoOrNull } from '../time/instant.ts';

/** A post as the API shows it. */
export function postRecord(post: Post): Record<string, unknown> {
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
    first_comment: post.first_comment,
    scheduling: post.scheduling,
    scheduled_date: post.scheduling === 'immediate' ? null : toIso(post.due_at),
    auto_truncate: post.auto_truncate,
    ...post.options,
    created_by: post.created_by,
    created_at: toIso(post.created_at),
    updated_at: toIso(Math.max(post.updated_at, ...destinations.map(destination => destination.changed_at))),
    published_at: toIsoOrNull(publishedAt(destinations)),
    destinations: destinations.map(destinationRecord),
  };
}

/** When the last destination went live; null while any is still under way or when none did. */
function publishedAt(destinations: readonly Destination[]): number | null {
  if (!destinations.every(isFinal)) return null;
  const times = destinations.flatMap(each => (each.status === 'published' ? [each.published_at] : []));
  return times.length === 0 ? null : Math.max(...times);
}

function destinationRecord(destination: Destination): Record<string, unknown> {
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
    first_comment: live?.first_comment ?? null,
  };
}
