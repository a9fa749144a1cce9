import { Temporal } from 'temporal-polyfill';
import { WEEKDAYS, type QueueSettings } from '../model/queue.ts';
import { firstInstantAt } from '../time/zone.ts';

/** A moment at which queued posts go out, epoch milliseconds, and how many may. */
export interface Slot {
  at: number;
  capacity: number;
}

/**
 * The slots after a moment, in order, without end. Slots that a change of the clocks moves to the same moment are one,
 * with room for the posts of all.
 */
export function* slotsAfter(settings: QueueSettings, after: number): Generator<Slot, never> {
  let slot: Slot = { at: after, capacity: 0 };
  for (const at of instantsFrom(settings, after)) {
    if (at <= after) continue;
    if (slot.at === at) slot.capacity += settings.posts_per_slot;
    else {
      if (slot.at > after) yield slot;
      slot = { at, capacity: settings.posts_per_slot };
    }
  }
  throw new Error('The days never end');
}

/** The instants of all slots, day by day, from before a moment on. */
function* instantsFrom(settings: QueueSettings, moment: number): Generator<number> {
  const today = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(settings.timezone);
  // Where a zone skipped a whole day, yesterday's slots come today.
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
