import type { SandboxIngest } from '../../contract/sandbox.ts';
import { store } from './live-broadcast-store.ts';
import { startMoving, type Stream } from './live-state.ts';
import type { YoutubeState } from './state.ts';

/** What the RTMP server tells about streams. */
export function ingestOf(state: YoutubeState): SandboxIngest {
  const { live, host } = state;
  const change = (key: string, status: Stream['status']): Stream | null => {
    const stream = live.streams.values().find(each => each.key === key);
    if (!stream) return null;
    const changed = { ...stream, status, changed_at: host.now() };
    live.streams.set(stream.id, changed);
    return changed;
  };
  return {
    listenAt: url => void (live.ingest_url = url),
    streamStarted: key => {
      const stream = change(key, 'active');
      if (stream) autoStart(state, stream);
      return stream !== null;
    },
    streamStopped: key => void change(key, 'inactive'),
    streamKeyOf: id => live.streams.get(live.broadcasts.get(id)?.stream_id ?? '')?.key ?? null,
  };
}

function autoStart(state: YoutubeState, stream: Stream): void {
  const seconds = state.channels.get(stream.channel_id)?.switches.live_transition_s ?? 0;
  const at = state.host.now() + seconds * 1000;
  for (const broadcast of state.live.broadcasts.values()) {
    const isWaiting = broadcast.stream_id === stream.id && broadcast.stage === 'ready';
    if (isWaiting && broadcast.auto_start) store(state, startMoving(broadcast, 'live', at));
  }
}
