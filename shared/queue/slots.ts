import { Temporal } from 'temporal-polyfill';
import { WEEKDAYS, type QueueSettings } from '../model/queue.ts';
import { firstInstantAt } from '../time/zone.ts';

/** A time at which queued posts are published, epoch milliseconds, and how many posts it holds. */
export interface Slot {
  at: number;
  capacity: number;
}

/**
 * Yields the slots after a time in ascending order, without end. Slots that a clock change moves to the same time are
 * one slot with the capacity of all.
 */
export function* slotsAfter(settings: QueueSettings, after: number): Generator<Slot, never> {
  let slot: Slot = { at: after, capacity: 0 };
  for (const at of timesFrom(settings, after)) {
    if (at <= after) continue;
    if (slot.at === at) slot.capacity += settings.posts_per_slot;
    else {
      if (slot.at > after) yield slot;
      slot = { at, capacity: settings.posts_per_slot };
    }
  }
  throw new Error('Unreachable: days have no end');
}

/** Yields the times of all slots day by day, starting before `after`. */
function* timesFrom(settings: QueueSettings, after: number): Generator<number> {
  const today = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(settings.timezone);
  // Where a zone skips a whole day, yesterday's slots occur today.
  let day = today.toPlainDate().subtract({ days: 1 });
  for (;;) {
    for (const time of timesOn(settings, day)) {
      yield firstInstantAt(day.toPlainDateTime(time), settings.timezone);
    }
    day = day.add({ days: 1 });
  }
}

function timesOn({ slots }: QueueSettings, day: Temporal.PlainDate): Temporal.PlainTime[] {
  const weekday = WEEKDAYS[day.dayOfWeek - 1];
  return slots
    .filter(({ days }) => days.some(each => each === weekday))
    .map(({ time }) => Temporal.PlainTime.from(time))
    .sort((a, b) => Temporal.PlainTime.compare(a, b));
}
