import * as v from 'valibot';
import { openStreamKey } from '../../shared/broadcasts/stream-key.ts';
import { isFinal } from '../../shared/broadcasts/transitions.ts';
import { BroadcastStatusSchema, type Broadcast } from '../../shared/model/broadcast.ts';
import { toIso, toIsoOrNull } from '../../shared/time/instant.ts';

/** A live broadcast session as the API returns it. */
export const BroadcastView = v.pipe(
  v.object({
    id: v.string(),
    title: v.string(),
    description: v.nullable(v.string()),
    status: v.nullable(BroadcastStatusSchema),
    rtmp_url: v.nullable(v.string()),
    stream_key: v.pipe(
      v.nullable(v.string()),
      v.description('Secret. Encoders send to `rtmp_url` with this key; null once the broadcast is over'),
    ),
    youtube_broadcast_id: v.nullable(v.string()),
    playlist_id: v.nullable(v.string()),
    is_loop: v.boolean(),
    start_time: v.string(),
    created_at: v.string(),
    started_at: v.nullable(v.string()),
    ended_at: v.nullable(v.string()),
    social_account_id: v.string(),
    profile_id: v.string(),
    error: v.pipe(
      v.nullable(v.object({ code: v.string(), message: v.string() })),
      v.description('Why it failed, or ended without a request'),
    ),
  }),
  v.title('LiveBroadcastSession'),
);

export async function broadcastView(
  broadcast: Broadcast,
  services: Parameters<typeof openStreamKey>[0],
): Promise<v.InferOutput<typeof BroadcastView>> {
  const { id, title, description, status, rtmp_url, youtube_broadcast_id, playlist_id } = broadcast;
  return {
    id,
    title,
    description,
    status,
    rtmp_url,
    stream_key: isFinal(status) ? null : await openStreamKey(services, broadcast),
    youtube_broadcast_id,
    playlist_id,
    is_loop: broadcast.is_loop,
    start_time: toIso(broadcast.start_time),
    created_at: toIso(broadcast.created_at),
    started_at: toIsoOrNull(broadcast.started_at),
    ended_at: toIsoOrNull(broadcast.ended_at),
    social_account_id: broadcast.social_account_id,
    profile_id: broadcast.profile_id,
    error: broadcast.failure,
  };
}
