import { refuseLive } from './live-errors.ts';
import { settled, type Broadcast } from './live-state.ts';
import { instant, type Channel, type YoutubeState } from './state.ts';

/** The broadcasts of a channel that reads find: new ones appear late. */
export function seen(state: YoutubeState, { id, switches }: Channel): Broadcast[] {
  const now = state.host.now();
  return state.live.broadcasts
    .values()
    .filter(each => each.channel_id === id && now - each.created_at >= switches.unseen_s * 1000)
    .map(each => {
      const current = settled(state.live, each, now);
      if (current.stage !== each.stage) store(state, current);
      return current;
    });
}

/** Deletes the recording of a completed broadcast. Returns false if no broadcast has this id. */
export function removeRecording(state: YoutubeState, channel: Channel, id: string): boolean {
  const broadcast = state.live.broadcasts.get(id);
  if (broadcast?.channel_id !== channel.id) return false;
  if (settled(state.live, broadcast, state.host.now()).stage !== 'complete') {
    refuseLive('liveBroadcastDeletionNotAllowed');
  }
  store(state, { ...broadcast, video_deleted: true });
  return true;
}

/** A broadcast of the channel as it is now. Ends the request for others. */
export function ownBroadcast(state: YoutubeState, channel: Channel, id: string): Broadcast {
  const found = seen(state, channel).find(each => each.id === id);
  return found ?? refuseLive('liveBroadcastNotFound');
}

/** Stores a broadcast and shows it on the sandbox's page. */
export function store(state: YoutubeState, broadcast: Broadcast): void {
  const { id, channel_id, title, description, stage, stream_id } = broadcast;
  const hasBegun = stage !== 'created' && stage !== 'ready';
  state.live.broadcasts.set(id, broadcast);
  state.host.unpublish('youtube', id);
  state.host.publish({
    platform: 'youtube',
    account: state.channels.get(channel_id)?.handle ?? channel_id,
    platform_post_id: id,
    platform_post_url: `https://www.youtube.com/watch?v=${id}`,
    kind: 'broadcast',
    text: description,
    title,
    media: hasBegun ? [{ url: `${state.host.url}/_recordings/youtube/${id}`, type: 'video/mp4' }] : [],
    comments: [],
    fields: {
      life_cycle_status: stage,
      stream_id,
      privacy: broadcast.privacy,
      scheduled_start_time: instant(broadcast.scheduled_start),
    },
    published_at: instant(broadcast.created_at),
  });
}
