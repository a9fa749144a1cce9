import type { Post } from '../../shared/model/post.ts';
import { movedTo } from '../../shared/posts/create.ts';
import { parseInstant, toIso } from '../../shared/time/instant.ts';

/** What an edit makes of a post's time. */
export interface Timing {
  /** The three fields of time, as they are checked. */
  input: { scheduled_date: unknown; add_to_queue: unknown; schedule_best_time: unknown };
  /** The post stays at the time that was found for it: its slot in the queue, or the best time. */
  keeps: boolean;
}

type Body = Record<string, unknown>;

/**
 * Reads what an edit says of the time. A post for which the service found a time keeps it until the edit asks for
 * another: whoever sends back what a post shows, its date and all, changes nothing.
 */
export function timingAfter(post: Post, body: Body): Timing {
  const queued = post.scheduling === 'queue';
  const best = post.scheduling === 'best_time';
  const says = {
    date: body['scheduled_date'] !== undefined && !isDateOf(post, body['scheduled_date']),
    queue: !isUnsaid(body['add_to_queue']) && !(queued && body['add_to_queue'] === true),
    best: !isUnsaid(body['schedule_best_time']) && !(best && body['schedule_best_time'] === true),
  };
  if ((queued || best) && !says.date && !says.queue && !says.best) {
    return { input: { scheduled_date: null, add_to_queue: queued, schedule_best_time: best }, keeps: true };
  }
  const input = {
    scheduled_date: dateAfter(post, body, says),
    add_to_queue: body['add_to_queue'],
    schedule_best_time: body['schedule_best_time'],
  };
  return { input, keeps: false };
}

/** What a flag says that is left out, or false as by default: nothing. */
const isUnsaid = (flag: unknown) => flag === undefined || flag === null || flag === false;

const isDateOf = ({ scheduling, due_at }: Post, date: unknown) =>
  scheduling !== 'immediate' && typeof date === 'string' && parseInstant(date) === due_at;

/** The date that was given, or that the post has; one that is asked for in another way gives way. */
function dateAfter(post: Post, body: Body, says: { date: boolean; queue: boolean; best: boolean }): unknown {
  if (says.date) return body['scheduled_date'];
  if (says.queue || says.best || post.scheduling === 'immediate') return null;
  return toIso(post.due_at);
}

/** The next version of a post at the time of the present one, in its place in the queue of the same profile. */
export function atTimeOf(post: Post, next: Post, now: number): Post {
  if (next.scheduling !== 'queue') return movedTo(next, post.due_at, now);
  if (next.profile_id !== post.profile_id || post.queue_place === undefined) return next;
  return { ...movedTo(next, post.due_at, now), queue_place: post.queue_place };
}
