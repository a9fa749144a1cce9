import { newId } from '../model/id.ts';
import type { Broadcast, BroadcastRef } from '../model/broadcast.ts';
import type { Services } from '../runtime/services.ts';
import { acquireBroadcastLease, getBroadcast, saveBroadcast } from '../store/broadcasts.ts';

type Stores = Pick<Services, 'table' | 'now'>;

/** Thrown by `save` when a stop request ended the status, or another controller acquired the lease. */
export class BroadcastChanged extends Error {
  override readonly name = 'BroadcastChanged';
}

/** A broadcast under this process's lease, as it was read or stored last. */
export interface Held {
  readonly broadcast: Broadcast;
  /** Throws BroadcastChanged. */
  save: (changes: Partial<Broadcast>) => Promise<void>;
  /** Reads the broadcast again. Throws BroadcastChanged where another process has the lease, or the broadcast is deleted. */
  reload: () => Promise<void>;
}

/** Acquires the lease of a broadcast for `ms` milliseconds; null while another process has it. */
export async function hold(services: Stores, ref: BroadcastRef, ms: number): Promise<Held | null> {
  const now = services.now();
  const lease = { id: newId(now), until: now + ms };
  const broadcast = await acquireBroadcastLease(services.table, ref, lease, now);
  return broadcast && held(services, broadcast, lease.id);
}

function held({ table }: Stores, acquired: Broadcast, leaseId: string): Held {
  let broadcast = acquired;
  const accept = (stored: Broadcast | null): void => {
    if (!stored) throw new BroadcastChanged();
    broadcast = stored;
  };
  return {
    get broadcast() {
      return broadcast;
    },
    save: async changes => accept(await saveBroadcast(table, broadcast, changes)),
    reload: async () => {
      const stored = await getBroadcast(table, broadcast);
      accept(stored?.lease?.id === leaseId ? stored : null);
    },
  };
}
