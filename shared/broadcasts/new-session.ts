import type { Broadcast } from '../model/broadcast.ts';
import { CREATE_LEASE_MS } from './create.ts';

/** What a request says about a broadcast. */
export type SessionInput = Pick<
  Broadcast,
  | 'id'
  | 'workspace_id'
  | 'profile_id'
  | 'profile_name'
  | 'social_account_id'
  | 'title'
  | 'description'
  | 'privacy'
  | 'start_time'
  | 'playlist_id'
  | 'is_loop'
  | 'created_at'
>;

/** Returns a session as it is stored first. Should its creation be interrupted, the sweeper has it taken back. */
export function newSession(input: SessionInput): Broadcast {
  return {
    ...input,
    status: 'pending',
    started_at: null,
    ended_at: null,
    failure: null,
    is_ready: false,
    intents: { broadcast: null, stream: null },
    youtube_broadcast_id: null,
    youtube_stream_id: null,
    rtmp_url: null,
    sealed_stream_key: null,
    checked_at: null,
    attempt: 0,
    attempt_started_at: null,
    task_arn: null,
    replacements: 0,
    heartbeat_at: null,
    worker_state: null,
    progress: null,
    stop_requested: false,
    stopped_by: null,
    delete_requested: false,
    lease: null,
    failures: 0,
    next_at: input.created_at + CREATE_LEASE_MS,
    outbox: [],
  };
}
