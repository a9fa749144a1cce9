import type { DestinationOf, Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { SECOND } from '../time/instant.ts';
import { LEASE_MARGIN_MS } from './timing.ts';

/** Thrown when another worker acquired the lease: this worker must not write or send anything any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * Returns until when a lease that is acquired now lasts: longer than the function that holds it can run, so that the
 * holder of an expired lease is certainly dead. Epoch milliseconds.
 */
export function leaseUntil({ platform }: Destination, now: number): number {
  return now + BASICS[platform].worker.timeout_s * SECOND + LEASE_MARGIN_MS;
}

/**
 * True while a worker may be sending the request of the stored intent. An intent older than the lease is that of an
 * earlier attempt: the worker finds out what became of it.
 */
export function isCommitting(destination: Destination): boolean {
  if (destination.status !== 'publishing' || !destination.intent) return false;
  return leaseUntil(destination, destination.intent.at) >= destination.lease_until;
}

/** A destination under this worker's lease. */
export interface Lease<D extends Destination = DestinationOf<'publishing'>> {
  readonly post: Post;
  readonly destination: D;
  /** The destination as it is stored: until the lease is, as it was before. */
  readonly stored: Destination;
  /** Stores the lease unless it is stored. Throws LeaseLost when another worker acquired it. */
  acquire: () => Promise<void>;
  /** Stores progress under the lease, and the lease with it. Throws LeaseLost when another worker acquired it. */
  save: (to: D) => Promise<void>;
  /** Adds what the next save stores. */
  amend: (change: Partial<D>) => void;
}

/** Throws LeaseLost once the lease has expired: another worker may have acquired it. */
export function assertHeld(expiresAt: number, now: number): void {
  if (now >= expiresAt) throw new LeaseLost();
}

/** Returns the lease of a worker on `destination`, where `stored` is what the post still has. */
export function openLease<D extends Destination>(
  post: Post,
  stored: Destination,
  destination: D,
  store: (post: Post, from: Destination, to: Destination) => Promise<Post | null>,
): Lease<D> {
  let current = { post, stored, destination };
  const save = async (to: D) => {
    const after = await store(current.post, current.stored, to);
    if (!after) throw new LeaseLost();
    current = { post: after, stored: to, destination: to };
  };
  return {
    get post() {
      return current.post;
    },
    get destination() {
      return current.destination;
    },
    get stored() {
      return current.stored;
    },
    amend: change => {
      current = { ...current, destination: { ...current.destination, ...change } };
    },
    acquire: async () => {
      if (current.stored.revision !== current.destination.revision) await save(current.destination);
    },
    save,
  };
}

/** Returns the lease of a worker that has just stored `destination` as its own. */
export const holdLease = <D extends Destination>(
  post: Post,
  destination: D,
  store: (post: Post, from: Destination, to: Destination) => Promise<Post | null>,
): Lease<D> => openLease(post, destination, destination, store);
