import type { SlotReservation } from '../model/queue.ts';
import type { Queue } from '../store/queue.ts';
import { slotsAfter, type Slot } from './slots.ts';

/** A slot, and the posts in it. */
export interface BookedSlot extends Slot {
  places: SlotReservation[];
}

/** The slots of a queue after a moment, without end. */
export function* bookedSlots({ settings, places }: Queue, after: number): Generator<BookedSlot, never> {
  const byTime = Map.groupBy(places, ({ at }) => at);
  for (const slot of slotsAfter(settings, after)) yield { ...slot, places: byTime.get(slot.at) ?? [] };
  throw new Error('Slots never end');
}

/** The first free place of each slot that has room, without end. */
export function* openSlots(queue: Queue, after: number): Generator<{ at: number; place: number }, never> {
  for (const { at, capacity, places } of bookedSlots(queue, after)) {
    if (places.length < capacity) yield { at, place: firstFree(places) };
  }
  throw new Error('Slots never end');
}

function firstFree(places: readonly SlotReservation[]): number {
  const taken = new Set(places.map(({ place }) => place));
  let place = 0;
  while (taken.has(place)) place += 1;
  return place;
}
