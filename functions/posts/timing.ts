import type { Post } from '../../shared/model/post.ts';
import { movedTo } from '../../shared/posts/create.ts';
import { parseInstant } from '../../shared/time/instant.ts';

/** What an edit makes of a post's time. */
export interface Timing {
  /** The three fields of time, as they are checked. */
  input: { scheduled_date: unknown; add_to_queue: unknown; schedule_best_time: unknown };
  /** The post stays at its time: the date that was given, its slot in the queue, or the best time. */
  keeps: boolean;
}

type Body = Record<string, unknown>;

/**
 * Reads what an edit says of the time. A post that waits keeps its time until the edit asks for another: whoever sends
 * back what a post shows, its date and all, changes nothing, and a time that came meanwhile is no fault of the edit.
 */
export function timingAfter(post: Post, body: Body): Timing {
  const queued = post.scheduling === 'queue';
  const best = post.scheduling === 'best_time';
  const says = {
    date: body['scheduled_date'] !== undefined && !isDateOf(post, body['scheduled_date']),
    queue: !isUnsaid(body['add_to_queue']) && !(queued && body['add_to_queue'] === true),
    best: !isUnsaid(body['schedule_best_time']) && !(best && body['schedule_best_time'] === true),
  };
  if (post.scheduling !== 'immediate' && !says.date && !says.queue && !says.best) {
    return { input: { scheduled_date: null, add_to_queue: queued, schedule_best_time: best }, keeps: true };
  }
  const input = {
    scheduled_date: says.date ? body['scheduled_date'] : null,
    add_to_queue: body['add_to_queue'],
    schedule_best_time: body['schedule_best_time'],
  };
  return { input, keeps: false };
}

/** What a flag says that is left out, or false as by default: nothing. */
const isUnsaid = (flag: unknown) => flag === undefined || flag === null || flag === false;

const isDateOf = ({ scheduling, due_at }: Post, date: unknown) =>
  scheduling !== 'immediate' && typeof date === 'string' && parseInstant(date) === due_at;

/** The next version of a post at the time of the present one, in its place in the queue of the same profile. */
export function atTimeOf(post: Post, next: Post, now: number): Post {
  if (post.scheduling !== 'queue') {
    return { ...movedTo(next, post.due_at, now), scheduling: post.scheduling };
  }
  if (next.profile_id !== post.profile_id || post.slot_number === undefined) return next;
  return { ...movedTo(next, post.due_at, now), slot_number: post.slot_number };
}
