import type { Destination } from '../model/destination.ts';
import type { DestinationEventKind, ServiceEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { derivedId } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import type { Post } from '../model/post.ts';
import { toIso } from '../time/instant.ts';

export interface EventSettings {
  /** Base of the API, version included. */
  publicUrl: string;
}

/**
 * Builds an event from the current state of a destination. It uses stored values only, so a repetition has the same id and
 * the same bytes. Throws when the status does not match the kind.
 */
export function eventOf(
  post: Post,
  destination: Destination,
  kind: DestinationEventKind,
  settings: EventSettings,
): ServiceEvent {
  return {
    event: kind,
    id: derivedId(post.post_id, destination.platform, kind, destination.attempts),
    timestamp: toIso(destination.changed_at),
    data: {
      post_id: post.post_id,
      profile_name: post.profile_name,
      platform: destination.platform,
      ...DETAILS[kind](post, destination, settings),
    },
  };
}

/** Fields of `data` by kind, beyond post and platform. An immediate post is due when it is created. */
const DETAILS: Record<
  DestinationEventKind,
  (post: Post, destination: Destination, settings: EventSettings) => JsonObject
> = {
  'post.published': (post, destination) => {
    if (destination.status !== 'published') throw mismatch('post.published', destination);
    return {
      platform_post_id: destination.platform_post_id,
      platform_post_url: destination.platform_post_url,
      scheduled_at: toIso(post.due_at),
      published_at: toIso(destination.published_at),
    };
  },
  'post.failed': (post, destination) => {
    if (destination.status !== 'failed') throw mismatch('post.failed', destination);
    return {
      scheduled_at: toIso(post.due_at),
      failed_at: toIso(destination.changed_at),
      attempts: destination.attempts,
      error: errorOf(destination.error),
    };
  },
  'post.retry': (post, destination) => {
    if (destination.status !== 'retrying') throw mismatch('post.retry', destination);
    return {
      scheduled_at: toIso(post.due_at),
      attempt: destination.attempts,
      next_attempt_at: toIso(destination.next_attempt_at),
      error: errorOf(destination.error),
    };
  },
  'post.token_expired': (_post, destination, { publicUrl }) => {
    if (destination.status !== 'failed' && destination.status !== 'retrying') {
      throw mismatch('post.token_expired', destination);
    }
    return {
      social_account_id: destination.social_account_id,
      reconnect_url: `${publicUrl}/integrations/${destination.platform}/connect`,
      error: errorOf(destination.error),
    };
  },
};

const errorOf = ({ code, message }: Failure) => ({ code, message });

const mismatch = (kind: DestinationEventKind, { status, platform }: Destination) =>
  new Error(`Cannot build ${kind} for a destination (${platform}) with status ${status}`);
