import { refuseLive } from './live-errors.ts';
import type { Broadcast } from './live-state.ts';
import { member, textOf } from './metadata.ts';
import type { Channel } from './state.ts';

const MAX_AHEAD_MS = 366 * 86_400_000;
const MARKUP = /[<>]/;

/** Reads what a request says about a new broadcast. Ends the request with the refusal of invalid values. */
export function readBroadcast(
  body: Record<string, unknown>,
  { switches }: Channel,
  now: number,
): Omit<Broadcast, 'id' | 'channel_id'> {
  const { title, description = '', scheduledStartTime } = member(body, 'snippet');
  const { privacyStatus } = member(body, 'status');
  const details = member(body, 'contentDetails');
  if (title === undefined) refuseLive('titleRequired');
  if (typeof title !== 'string' || title.trim() === '' || title.length > 100 || MARKUP.test(title)) {
    return refuseLive('invalidTitle');
  }
  if (typeof description !== 'string' || Buffer.byteLength(description) > 5000 || MARKUP.test(description)) {
    return refuseLive('invalidDescription');
  }
  if (scheduledStartTime === undefined) refuseLive('scheduledStartTimeRequired');
  const scheduled_start = Date.parse(textOf(scheduledStartTime));
  if (!(scheduled_start > now && scheduled_start < now + MAX_AHEAD_MS)) {
    refuseLive('invalidScheduledStartTime');
  }
  if (privacyStatus === undefined) refuseLive('privacyStatusRequired');
  const privacy = textOf(privacyStatus);
  if (!['public', 'unlisted', 'private'].includes(privacy)) refuseLive('invalidPrivacyStatus');
  const auto_start = details['enableAutoStart'] === true;
  if (auto_start && !switches.live_auto_start) refuseLive('invalidAutoStart');
  return {
    title,
    description,
    privacy,
    scheduled_start: Math.floor(scheduled_start / 1000) * 1000,
    auto_start,
    auto_stop: details['enableAutoStop'] === true,
    monitor: member(details, 'monitorStream')['enableMonitorStream'] !== false,
    stage: 'created',
    next: null,
    stream_id: null,
    video_deleted: false,
    created_at: now,
    started_at: null,
    ended_at: null,
  };
}
