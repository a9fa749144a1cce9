import type { Broadcast, BroadcastEventKind } from '../model/broadcast.ts';
import type { ServiceEvent } from '../model/event.ts';
import { derivedId } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { toIso, toIsoOrNull } from '../time/instant.ts';

/** Builds an event of a live broadcast from stored values only: a repetition has the same id and the same bytes. */
export function broadcastEvent(broadcast: Broadcast, kind: BroadcastEventKind): ServiceEvent {
  const { id, started_at, ended_at, created_at, youtube_broadcast_id } = broadcast;
  const at = kind === 'broadcast.live' ? started_at : ended_at;
  return {
    event: kind,
    id: derivedId(id, kind),
    timestamp: toIso(at ?? created_at),
    data: {
      session_id: id,
      profile_id: broadcast.profile_id,
      profile_name: broadcast.profile_name,
      social_account_id: broadcast.social_account_id,
      title: broadcast.title,
      youtube_broadcast_id,
      broadcast_url: `https://www.youtube.com/watch?v=${youtube_broadcast_id ?? ''}`,
      started_at: toIsoOrNull(started_at),
      ...(kind === 'broadcast.live' ? {} : endOf(broadcast)),
    },
  };
}

/** `error` is null where a request or the end of the playlist ended it. */
const endOf = ({ status, ended_at, failure }: Broadcast): JsonObject => ({
  status,
  ended_at: toIsoOrNull(ended_at),
  error: failure,
});
