import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import {
  deleteCapReservation,
  listCapReservations,
  putCapReservation,
  type CapReservationItem,
} from '../store/cap-reservations.ts';
import type { Table } from '../store/table.ts';
import { DAY, MINUTE, SECOND } from '../time/instant.ts';

/** A request for a reservation under an account's daily cap. */
export interface CapReservation {
  account_id: string;
  platform: PlatformId;
  post_id: string;
  /** When the post goes live. Epoch milliseconds. */
  at: number;
}

/** A reservation that was refused because the cap is reached. */
export interface CapViolation {
  platform: PlatformId;
  cap: number;
  used: number;
  /** When the first reservation leaves the window. Epoch milliseconds. */
  frees_at: number;
}

export interface CapServices {
  table: Table;
  now: () => number;
  /** Waits between tries; tests pass their own. */
  sleep?: (ms: number) => Promise<void>;
}

/** Later reservations within this span count too, so that concurrent posts see each other despite clock skew. */
const SKEW_MS = 1 * MINUTE;
/** A reservation of this age is final: competing requests delete theirs much sooner. */
const FINAL_AFTER_MS = 5 * SECOND;
/** Tries of a request without a reservation, or one that must yield. */
const MAX_TRIES = 12;
/** Tries of a request that came first: long enough for the others to delete theirs, even on a busy day. */
const MAX_TRIES_OF_FIRST = 60;
const MAX_PAUSE_MS = 300;

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** Returns one reservation request for each destination of a post. */
export function reservationsOf(post: Post, at: number = post.due_at): CapReservation[] {
  return Object.values(post.destinations).map(({ social_account_id, platform }) => ({
    account_id: social_account_id,
    platform,
    post_id: post.post_id,
    at,
  }));
}

/** Returns `reservations` without those for an account and time that `held` covers. */
export function withoutReservations(
  reservations: readonly CapReservation[],
  held: readonly CapReservation[],
): CapReservation[] {
  const covered = new Set(held.map(({ account_id, at }) => `${account_id} ${at}`));
  return reservations.filter(({ account_id, at }) => !covered.has(`${account_id} ${at}`));
}

/** Reserves all or nothing. Returns the violations; empty when every reservation was made. */
export async function reserveAll(
  services: CapServices,
  reservations: readonly CapReservation[],
): Promise<CapViolation[]> {
  const results = await Promise.allSettled(reservations.map(request => reserve(services, request)));
  const error = results.find(result => result.status === 'rejected');
  const violations = results.flatMap(result =>
    result.status === 'fulfilled' && result.value !== null ? [result.value] : [],
  );
  if (error || violations.length > 0) await releaseAll(services.table, reservations);
  if (error) throw error.reason;
  return violations;
}

/** Returns the violations that `reserveAll` would find now. Writes nothing. */
export async function violationsOf(
  { table }: CapServices,
  reservations: readonly CapReservation[],
): Promise<CapViolation[]> {
  const found = await Promise.all(
    reservations.map(async request => {
      const cap = BASICS[request.platform].daily_cap;
      const others = await listOthers(table, request);
      return others.length < cap ? [] : [violation(request, cap, others)];
    }),
  );
  return found.flat();
}

/** Releases reservations. Those that do not exist are skipped. */
export async function releaseAll(
  table: Table,
  reservations: readonly Pick<CapReservation, 'account_id' | 'at' | 'post_id'>[],
): Promise<void> {
  await Promise.all(reservations.map(each => deleteCapReservation(table, each)));
}

/**
 * Reserves one of the account's posts in the 24 hours that end at `at`. Returns null on success.
 *
 * The reservation is written first and the others are counted afterwards: of any two requests at least one sees the
 * other, so the cap is never exceeded. When requests for the last places see each other, the earliest keep their
 * reservations and count again, and the others delete theirs. Those retry after a random pause, and write only while
 * the count is below the cap.
 */
async function reserve(services: CapServices, request: CapReservation): Promise<CapViolation | null> {
  const { table, now, sleep = pause } = services;
  const cap = BASICS[request.platform].daily_cap;
  let held: CapReservationItem | null = null;
  for (let attempt = 1; ; attempt += 1) {
    let others = attempt === 1 ? [] : await listOthers(table, request);
    if (!held && others.length < cap) {
      held = { ...request, taken_at: now() };
      await putCapReservation(table, held);
      others = await listOthers(table, request);
    }
    if (held && others.length < cap) return null;
    if (held && (attempt >= MAX_TRIES_OF_FIRST || !isAmongFirst(held, others, cap))) {
      await deleteCapReservation(table, held);
      held = null;
    }
    const final = others.filter(each => each.taken_at <= now() - FINAL_AFTER_MS);
    if (!held && (final.length >= cap || attempt >= MAX_TRIES)) return violation(request, cap, others);
    await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 40 * attempt));
  }
}

/** True when fewer than `count` of the others are earlier: by the time they were written, then by post id. */
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

/** Returns the reservations of other posts in the window that ends at `at`. */
async function listOthers(
  table: Table,
  { account_id, at, post_id }: CapReservation,
): Promise<CapReservationItem[]> {
  const reservations = await listCapReservations(table, account_id, at - DAY, at + SKEW_MS);
  return reservations.filter(each => each.post_id !== post_id);
}

function violation(
  { platform, at }: CapReservation,
  cap: number,
  others: readonly CapReservationItem[],
): CapViolation {
  const blocking = others[Math.max(0, others.length - cap)];
  return { platform, cap, used: Math.min(others.length, cap), frees_at: (blocking?.at ?? at) + DAY };
}
