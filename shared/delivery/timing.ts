import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { MINUTE, SECOND } from '../time/instant.ts';

/** How long before its time a post is dispatched: EventBridge Scheduler fires up to a minute late. */
export const LEAD_MS = 90 * SECOND;

/** How much earlier than a lost schedule the sweeper must act: it runs once a minute. */
export const SWEEP_INTERVAL_MS = 1 * MINUTE;

/** A message may arrive this early, because queue delays are whole seconds. The commit waits for the exact time. */
export const EARLY_MS = 1 * SECOND;

/** How long after the expected time the sweeper considers a message lost. */
export const GRACE_MS = 1 * MINUTE;

/** How much longer a lease lasts than the timeout of the function that holds it. */
export const LEASE_MARGIN_MS = 15 * SECOND;

/**
 * Longest chain of messages that publishers send to their own queue for one destination: a day of the longest waits
 * between status requests, with room for uploads in parts. A longer one is an endless loop.
 */
export const MAX_HOPS = 5000;

/** Waits for a platform that is processing: the first and the longest that the service chooses by itself. */
const MIN_WAIT_MS = 2 * SECOND;
const MAX_WAIT_MS = 30 * SECOND;
const WAIT_GROWTH = 1.5;

/**
 * Returns how long before it is due a destination is prepared and dispatched: what the platform's rules ask for, at
 * least the default. Milliseconds.
 */
export function leadMs(post: Post, platform: PlatformId): number {
  const ahead = BASICS[platform].prepare_ahead_ms?.(post, post.media_bytes ?? null) ?? 0;
  return Math.max(LEAD_MS, ahead);
}

/** Returns how much time of an invocation must be left for a step to start. Milliseconds. */
export function stepReserveMs(platform: PlatformId): number {
  return BASICS[platform].worker.request_s * SECOND;
}

/**
 * Returns how long to wait before asking again whether the platform has finished: the platform's own hint, or longer
 * with each of the `waits` so far. Each wait costs a queue message and an invocation. Whole seconds, in milliseconds.
 */
export function processingDelayMs(hintMs: number, waits: number): number {
  const grown = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * WAIT_GROWTH ** waits);
  return Math.ceil(Math.max(hintMs, grown) / SECOND) * SECOND;
}

/** Returns when to ask the platform again; a wait that would end after the post is due ends when it is due. */
export function processingWaitUntil(now: number, dueAt: number, hintMs: number, waits: number): number {
  const at = now + processingDelayMs(hintMs, waits);
  const endsLate = at > dueAt && dueAt >= now + MIN_WAIT_MS;
  return endsLate ? dueAt : at;
}
