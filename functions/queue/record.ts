import * as v from 'valibot';
import { QueueSlotSchema, type QueueSettings } from '../../shared/model/queue.ts';
import type { BookedSlot } from '../../shared/queue/calendar.ts';
import { toIso } from '../../shared/time/instant.ts';
import { localTime } from '../../shared/time/zone.ts';

const count = v.pipe(v.number(), v.integer());
export const instant = v.pipe(v.string(), v.isoTimestamp());

export const SettingsResponse = v.pipe(
  v.object({
    success: v.literal(true),
    settings: v.object({
      profile_name: v.string(),
      timezone: v.string(),
      slots: v.array(QueueSlotSchema),
      posts_per_slot: count,
    }),
  }),
  v.title('QueueSettings'),
);

export const SlotRecord = v.pipe(
  v.object({
    slot_at: instant,
    local_time: v.pipe(v.string(), v.description('Local time in the time zone: `2026-12-01T09:00`')),
    capacity: count,
    used: count,
    post_ids: v.array(v.pipe(v.string(), v.uuid())),
  }),
  v.title('QueueSlot'),
);

export function settingsResponse(
  profileName: string,
  { timezone, slots, posts_per_slot }: QueueSettings,
): v.InferOutput<typeof SettingsResponse> {
  return { success: true, settings: { profile_name: profileName, timezone, slots, posts_per_slot } };
}

export function slotRecord(
  { at, capacity, reservations }: BookedSlot,
  timezone: string,
): v.InferOutput<typeof SlotRecord> {
  return {
    slot_at: toIso(at),
    local_time: localTime(at, timezone),
    capacity,
    used: reservations.length,
    post_ids: reservations.map(({ post_id }) => post_id),
  };
}
