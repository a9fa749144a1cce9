import * as v from 'valibot';

/** In ISO 8601 order, Monday first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const WeekdaySchema = v.picklist(WEEKDAYS, `Must be one of ${WEEKDAYS.join(', ')}`);
export type Weekday = v.InferOutput<typeof WeekdaySchema>;

/** A time of day, `HH:MM`, on some weekdays. */
export const QueueSlotSchema = v.object({ time: v.string(), days: v.array(WeekdaySchema) });
export type QueueSlot = v.InferOutput<typeof QueueSlotSchema>;

/** Slots of a profile without settings. */
const DEFAULT_SLOTS: QueueSlot[] = ['09:00', '12:00', '17:00'].map(time => ({ time, days: [...WEEKDAYS] }));

/** When the queued posts of a profile are published. */
export const QueueSettingsSchema = v.object({
  /** IANA name. */
  timezone: v.optional(v.string(), 'UTC'),
  slots: v.optional(v.pipe(v.array(QueueSlotSchema), v.nonEmpty()), () => DEFAULT_SLOTS),
  posts_per_slot: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
});
export type QueueSettings = v.InferOutput<typeof QueueSettingsSchema>;

/** One post's reservation in the slot at `at` (epoch milliseconds). Position 0 … capacity − 1. */
export interface SlotReservation {
  at: number;
  position: number;
  post_id: string;
}
