import type { Post } from '../../shared/model/post.ts';
import { parseDate, readZone } from '../../shared/posts/input/schedule.ts';
import { movedTo } from '../../shared/posts/store/new-post.ts';

/** What an edit does to the time of a post. */
export interface TimingChange {
  /** The schedule fields of the edited post. */
  input: { scheduled_date: unknown; add_to_queue: unknown; schedule_best_time: unknown };
  /** The post keeps its time: its date, its slot in the queue, or its best time. */
  keeps: boolean;
}

type Body = Record<string, unknown>;

/**
 * Returns what an edit does to the time of a post. A waiting post keeps its time unless the edit asks for another: a
 * client that sends a post back as it was returned changes nothing, and a date that has passed meanwhile is not an error.
 */
export async function timingChange(post: Post, body: Body): Promise<TimingChange> {
  const queued = post.scheduling === 'queue';
  const best = post.scheduling === 'best_time';
  const date = dateOf(body);
  const changes = {
    date: date !== undefined && !(await isDateOf(post, date, body['timezone'])),
    queue: isSet(body['add_to_queue']) && !(queued && body['add_to_queue'] === true),
    best: isSet(body['schedule_best_time']) && !(best && body['schedule_best_time'] === true),
  };
  if (post.scheduling !== 'immediate' && !changes.date && !changes.queue && !changes.best) {
    return { input: { scheduled_date: null, add_to_queue: queued, schedule_best_time: best }, keeps: true };
  }
  const input = {
    scheduled_date: changes.date ? date : null,
    add_to_queue: body['add_to_queue'],
    schedule_best_time: body['schedule_best_time'],
  };
  return { input, keeps: false };
}

/** An empty form field is sent as an empty text: unlike null, it does not ask to publish at once. */
function dateOf(body: Body): unknown {
  const date = body['scheduled_date'];
  return typeof date === 'string' && date.trim() === '' ? undefined : date;
}

/** False for a flag that has its default. */
const isSet = (flag: unknown) => flag !== undefined && flag !== null && flag !== false;

async function isDateOf({ scheduling, due_at }: Post, date: unknown, timezone: unknown): Promise<boolean> {
  if (scheduling === 'immediate' || typeof date !== 'string') return false;
  const zone = await readZone(typeof timezone === 'string' ? timezone.trim() : null);
  return (await parseDate(date, zone)) === due_at;
}

/** Returns the next version of a post at the time of the present one, in its slot where the profile is the same. */
export function atTimeOf(post: Post, next: Post, now: number): Post {
  if (post.scheduling !== 'queue') {
    return { ...movedTo(next, post.due_at, now), scheduling: post.scheduling };
  }
  if (next.profile_id !== post.profile_id || post.slot_number === undefined) return next;
  return { ...movedTo(next, post.due_at, now), slot_number: post.slot_number };
}
