import type { SlotReservation } from '../model/queue.ts';
import type { Queue } from '../store/queue.ts';
import { slotsAfter, type Slot } from './slots.ts';

/** A slot with its reservations. */
export interface BookedSlot extends Slot {
  reservations: SlotReservation[];
}

/** A free position of a slot. */
export interface OpenSlot {
  at: number;
  position: number;
}

/** Yields the slots of a queue after a time, without end. */
export function* bookedSlots({ settings, reservations }: Queue, after: number): Generator<BookedSlot, never> {
  const byTime = Map.groupBy(reservations, ({ at }) => at);
  for (const slot of slotsAfter(settings, after)) {
    yield { ...slot, reservations: byTime.get(slot.at) ?? [] };
  }
  throw new Error('Unreachable: slots have no end');
}

/** Yields the first free position of each slot that is not full, without end. */
export function* openSlots(queue: Queue, after: number): Generator<OpenSlot, never> {
  for (const { at, capacity, reservations } of bookedSlots(queue, after)) {
    if (reservations.length < capacity) yield { at, position: firstFree(reservations) };
  }
  throw new Error('Unreachable: slots have no end');
}

function firstFree(reservations: readonly SlotReservation[]): number {
  const taken = new Set(reservations.map(({ position }) => position));
  let position = 0;
  while (taken.has(position)) position += 1;
  return position;
}
