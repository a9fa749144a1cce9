import { mayBeLive, type Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { RULES } from '../platforms/registry.ts';
import {
  deleteCapReservation,
  listCapReservations,
  putCapReservation,
  type CapReservationItem,
} from '../store/cap-reservations.ts';
import type { Table } from '../store/table.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/instant.ts';

/** A post this much later than its place says takes a new place at the time that is true. */
const LATE_MS = 5 * MINUTE;
/** The place that a waiting post holds is a moment ahead of when it may look again. */
const MARGIN_MS = 1 * SECOND;
/** Failures are known within a day of the first attempt; a place may lie this far from now. */
const REACH_MS = DAY + HOUR;

interface Run {
  table: Table;
  now: () => number;
}

/**
 * Holds a destination to its account's daily cap at the very time of its publication: until when it must wait, epoch
 * milliseconds, or null when it may go. A post that must wait, or is late, moves its place to the true time.
 */
export async function reserveAtDelivery(
  { table, now }: Run,
  post: Post,
  { platform, social_account_id }: Destination,
): Promise<number | null> {
  const at = Math.max(now(), post.due_at);
  const cap = RULES[platform].daily_cap;
  const claim = { account_id: social_account_id, post_id: post.post_id };
  const window = () => listCapReservations(table, social_account_id, at - DAY, at + LATE_MS);

  let places = await window();
  let own = places.find(place => place.post_id === post.post_id);
  if (!own || own.at < at - LATE_MS) {
    const moved = { ...claim, at, taken_at: now() };
    await move(table, own, moved);
    [own, places] = [moved, await window()];
  }
  const earlier = places.filter(place => place.post_id !== post.post_id && isBefore(place, own));
  const blocking = earlier[earlier.length - cap];
  if (!blocking) return null;
  const frees = blocking.at + DAY + MARGIN_MS;
  await move(table, own, { ...claim, at: frees, taken_at: now() });
  return frees;
}

/** Gives a failed destination's place back, unless the post may be live all the same. */
export async function releaseReservation(
  { table, now }: Run,
  post: Post,
  destination: Destination,
): Promise<void> {
  if (destination.status !== 'failed' || mayBeLive(destination)) return;
  await releaseReservations({ table, now }, post, [destination]);
}

/** Gives back the places of a post that will not be published, wherever they were moved to. */
export async function releaseReservations(
  { table, now }: Run,
  post: Post,
  destinations: readonly Destination[],
): Promise<void> {
  await Promise.all(
    destinations.map(async destination => {
      const account_id = destination.social_account_id;
      const claim = { account_id, post_id: post.post_id };
      await deleteCapReservation(table, { ...claim, at: post.due_at });
      if (destination.status === 'pending' && destination.attempts === 0) return;
      const places = await listCapReservations(table, account_id, now() - REACH_MS, now() + REACH_MS);
      const own = places.filter(place => place.post_id === post.post_id);
      await Promise.all(own.map(place => deleteCapReservation(table, place)));
    }),
  );
}

async function move(
  table: Table,
  from: CapReservationItem | undefined,
  to: CapReservationItem,
): Promise<void> {
  await putCapReservation(table, to);
  if (from && from.at !== to.at) await deleteCapReservation(table, from);
}

const isBefore = (a: CapReservationItem, b: CapReservationItem) =>
  a.at < b.at || (a.at === b.at && a.post_id < b.post_id);
