import type { Broadcast } from './live-state.ts';
import { instant } from './state.ts';

const RECORDING: Readonly<Record<string, string>> = { live: 'recording', complete: 'recorded' };

/** Returns the named parts of a broadcast as the API shows it. */
export function resource(broadcast: Broadcast, parts: readonly string[]) {
  const { id, title, description, stage, privacy, stream_id, started_at, ended_at } = broadcast;
  const all = {
    snippet: {
      publishedAt: instant(broadcast.created_at),
      channelId: broadcast.channel_id,
      title,
      description,
      scheduledStartTime: instant(broadcast.scheduled_start),
      ...(started_at === null ? {} : { actualStartTime: instant(started_at) }),
      ...(ended_at === null ? {} : { actualEndTime: instant(ended_at) }),
      isDefaultBroadcast: false,
      liveChatId: `chat-${id}`,
    },
    status: {
      lifeCycleStatus: stage,
      privacyStatus: privacy,
      recordingStatus: RECORDING[stage] ?? 'notRecording',
      madeForKids: false,
      selfDeclaredMadeForKids: false,
    },
    contentDetails: {
      ...(stream_id === null ? {} : { boundStreamId: stream_id }),
      monitorStream: { enableMonitorStream: broadcast.monitor, broadcastStreamDelayMs: 0 },
      enableAutoStart: broadcast.auto_start,
      enableAutoStop: broadcast.auto_stop,
      latencyPreference: 'normal',
    },
  };
  const named = Object.entries(all).filter(([name]) => parts.includes(name));
  return { kind: 'youtube#liveBroadcast', etag: `etag-${id}`, id, ...Object.fromEntries(named) };
}
