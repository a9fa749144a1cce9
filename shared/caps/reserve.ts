import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { RULES } from '../platforms/registry.ts';
import {
  deleteCapReservation,
  listCapReservations,
  putCapReservation,
  type CapReservationItem,
} from '../store/cap-reservations.ts';
import type { Table } from '../store/table.ts';
import { DAY, MINUTE, SECOND } from '../time/instant.ts';

/** A post's wish for a place under an account's daily cap. */
export interface CapReservation {
  account_id: string;
  platform: PlatformId;
  post_id: string;
  /** When the post goes live, epoch milliseconds. */
  at: number;
}

/** A claim that found the cap reached. */
export interface CapViolation {
  platform: PlatformId;
  cap: number;
  used: number;
  /** When the first place becomes free again. */
  frees_at: number;
}

export interface CapServices {
  table: Table;
  now: () => number;
  /** How a contender waits; tests hand in their own. */
  sleep?: (ms: number) => Promise<void>;
}

/** Places this much later count as well: posts of the same moment see each other, whatever their clocks say. */
const SLACK_MS = 1 * MINUTE;
/** A place that stood this long is there to stay: a contender takes its own back much sooner. */
const SETTLED_MS = 5 * SECOND;
/** Looks of a contender that has no place, or whose place is to go to others. */
const TRIES = 12;
/** Looks of one who came first: as long as a process may take, on a busy day, to step back. */
const TRIES_OF_THE_FIRST = 60;
const LONGEST_WAIT_MS = 300;

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** Claims of a post's destinations. */
export function reservationsOf(post: Post, at: number = post.due_at): CapReservation[] {
  return Object.values(post.destinations).map(({ social_account_id, platform }) => ({
    account_id: social_account_id,
    platform,
    post_id: post.post_id,
    at,
  }));
}

/** Claims for other places than those of `held`. */
export function withoutReservations(
  reservations: readonly CapReservation[],
  held: readonly CapReservation[],
): CapReservation[] {
  const places = new Set(held.map(({ account_id, at }) => `${account_id} ${at}`));
  return reservations.filter(({ account_id, at }) => !places.has(`${account_id} ${at}`));
}

/** Takes a place for every claim, or for none; gives those that found their cap reached. */
export async function reserveAll(
  services: CapServices,
  reservations: readonly CapReservation[],
): Promise<CapViolation[]> {
  const results = await Promise.allSettled(reservations.map(claim => reserve(services, claim)));
  const fault = results.find(result => result.status === 'rejected');
  const violations = results.flatMap(result =>
    result.status === 'fulfilled' && result.value !== null ? [result.value] : [],
  );
  if (fault || violations.length > 0) await releaseAll(services.table, reservations);
  if (fault) throw fault.reason;
  return violations;
}

/** Claims that would find their cap reached; takes no place. */
export async function violationsOf(
  { table }: CapServices,
  reservations: readonly CapReservation[],
): Promise<CapViolation[]> {
  const found = await Promise.all(
    reservations.map(async claim => {
      const cap = RULES[claim.platform].daily_cap;
      const others = await othersOf(table, claim);
      return others.length < cap ? [] : [refusal(claim, cap, others)];
    }),
  );
  return found.flat();
}

/** Gives places back; those that are gone are no fault. */
export async function releaseAll(
  table: Table,
  reservations: readonly Pick<CapReservation, 'account_id' | 'at' | 'post_id'>[],
): Promise<void> {
  await Promise.all(reservations.map(claim => deleteCapReservation(table, claim)));
}

/**
 * Takes a place among the posts that the account publishes in the 24 hours up to `at`; null when it got one.
 *
 * The place is written first and the others counted after: of any two posts at least one sees the other, so the cap is
 * never passed. When contenders for the last places see each other, those who came first keep their places and look
 * again, and the others step back. They look again after a random while, and write only where there is room.
 */
async function reserve(services: CapServices, claim: CapReservation): Promise<CapViolation | null> {
  const { table, now, sleep = pause } = services;
  const cap = RULES[claim.platform].daily_cap;
  let held: CapReservationItem | null = null;
  for (let attempt = 1; ; attempt += 1) {
    let others = attempt === 1 ? [] : await othersOf(table, claim);
    if (!held && others.length < cap) {
      held = { ...claim, taken_at: now() };
      await putCapReservation(table, held);
      others = await othersOf(table, claim);
    }
    if (held && others.length < cap) return null;
    if (held && (attempt >= TRIES_OF_THE_FIRST || !isAmongFirst(held, others, cap))) {
      await deleteCapReservation(table, held);
      held = null;
    }
    const settled = others.filter(place => place.taken_at <= now() - SETTLED_MS);
    if (!held && (settled.length >= cap || attempt >= TRIES)) return refusal(claim, cap, others);
    await sleep(Math.random() * Math.min(LONGEST_WAIT_MS, 40 * attempt));
  }
}

/** Whether a place is one of the first so many: by the time it was taken, then by its post. */
function isAmongFirst(
  held: CapReservationItem,
  others: readonly CapReservationItem[],
  count: number,
): boolean {
  const before = others.filter(
    ({ taken_at, post_id }) =>
      taken_at < held.taken_at || (taken_at === held.taken_at && post_id < held.post_id),
  );
  return before.length < count;
}

/** Places of other posts in the window that ends with the claim. */
async function othersOf(
  table: Table,
  { account_id, at, post_id }: CapReservation,
): Promise<CapReservationItem[]> {
  const places = await listCapReservations(table, account_id, at - DAY, at + SLACK_MS);
  return places.filter(place => place.post_id !== post_id);
}

function refusal(
  { platform, at }: CapReservation,
  cap: number,
  others: readonly CapReservationItem[],
): CapViolation {
  const blocking = others[Math.max(0, others.length - cap)];
  return { platform, cap, used: Math.min(others.length, cap), frees_at: (blocking?.at ?? at) + DAY };
}
