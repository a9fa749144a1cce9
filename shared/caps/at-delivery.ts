import { mayBeLive, type Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import {
  deleteCapReservation,
  listCapReservations,
  putCapReservation,
  type CapReservationItem,
} from '../store/cap-reservations.ts';
import type { Table } from '../store/table.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/instant.ts';

/** A post that is later than its reservation by more than this gets a new reservation at the actual time. */
const LATE_MS = 5 * MINUTE;
/** How long after the window frees a deferred post may publish: the blocking reservation is then outside it. */
const MARGIN_MS = 1 * SECOND;
/** A destination fails within a day of its first attempt, so its reservation is at most this far from now. */
const REACH_MS = DAY + HOUR;

interface Run {
  table: Table;
  now: () => number;
}

/**
 * Enforces the account's daily cap at the time of publication. Returns until when the destination must wait (epoch
 * ms), or null when it may publish now. The reservation of a post that must wait, or is late, moves to the actual time.
 */
export async function reserveAtDelivery(
  { table, now }: Run,
  post: Post,
  { platform, social_account_id }: Destination,
): Promise<number | null> {
  const at = Math.max(now(), post.due_at);
  const cap = BASICS[platform].daily_cap;
  const request = { account_id: social_account_id, post_id: post.post_id };
  const listWindow = () => listCapReservations(table, social_account_id, at - DAY, at + LATE_MS);

  let reservations = await listWindow();
  let own = reservations.find(each => each.post_id === post.post_id);
  if (!own || own.at < at - LATE_MS) {
    const moved = { ...request, at, taken_at: now() };
    await move(table, own, moved);
    [own, reservations] = [moved, await listWindow()];
  }
  const earlier = reservations.filter(each => each.post_id !== post.post_id && isBefore(each, own));
  const blocking = earlier[earlier.length - cap];
  if (!blocking) return null;
  const frees = blocking.at + DAY + MARGIN_MS;
  await move(table, own, { ...request, at: frees, taken_at: now() });
  return frees;
}

/** Releases the reservation of a failed destination. Does nothing for any other. */
export async function releaseReservation(
  { table, now }: Run,
  post: Post,
  destination: Destination,
): Promise<void> {
  if (destination.status !== 'failed') return;
  await releaseReservations({ table, now }, post, [destination]);
}

/**
 * Releases the reservations of a post that will not be published, wherever delivery moved them. Those of failed
 * destinations whose post may be live stay.
 */
export async function releaseReservations(
  { table, now }: Run,
  post: Post,
  destinations: readonly Destination[],
): Promise<void> {
  await Promise.all(
    destinations.map(async destination => {
      if (mayBeLive(destination)) return;
      const account_id = destination.social_account_id;
      await deleteCapReservation(table, { account_id, post_id: post.post_id, at: post.due_at });
      if (destination.status === 'pending' && destination.attempts === 0) return;
      const reservations = await listCapReservations(table, account_id, now() - REACH_MS, now() + REACH_MS);
      const own = reservations.filter(each => each.post_id === post.post_id);
      await Promise.all(own.map(each => deleteCapReservation(table, each)));
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
