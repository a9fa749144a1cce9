import { setTimeout as sleep } from 'node:timers/promises';
import { openStreamKey } from '../../../shared/broadcasts/stream-key.ts';
import type { Broadcast } from '../../../shared/model/broadcast.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { Services } from '../../../shared/runtime/services.ts';
import { getBroadcast } from '../../../shared/store/broadcasts.ts';
import { getPlaylist } from '../../../shared/store/playlists.ts';
import { SECOND } from '../../../shared/time/instant.ts';
import { runBroadcast, type BroadcastLimits } from '../broadcast.ts';
import type { StreamFormat } from '../format.ts';
import { startHeartbeats } from '../heartbeats.ts';
import type { DecoderSettings } from '../playlist/decoder-process.ts';
import type { BroadcastEnd } from '../reporter.ts';
import { itemsOf } from './items.ts';
import { startSurvey, type SessionSurvey } from './survey.ts';
import { createReporter, type SessionReporter, type WorkerIdentity } from './reporter.ts';

export interface SessionParts {
  identity: WorkerIdentity;
  services: Pick<Services, 'table' | 'bucket' | 'keyRing' | 'now'>;
  format: StreamFormat;
  decoder: DecoderSettings;
  /** Ends the worker, but not the broadcast: another worker may go on with it. */
  signal: AbortSignal;
  limits?: Partial<SessionLimits>;
}

export interface SessionLimits extends BroadcastLimits {
  /** How long the survey of the playlist may take at least, although the start time has passed. */
  survey_ms: number;
}

const HEARTBEAT_MS = 15 * SECOND;
const POLL_MS = 100;
const NOT_BEGUN = {
  state: 'starting',
  item_index: null,
  streamed_ms: 0,
  filler_ms: 0,
  behind_ms: 0,
  ingest: { is_connected: false, losses: 0, bytes_sent: 0, last_error: null },
} as const;

/**
 * Streams the playlist of a session from its start time on, and reports into the session. Resolves with how it ended; null
 * when this worker has nothing to do, because the session is over or has another worker.
 */
export async function runSession(parts: SessionParts): Promise<BroadcastEnd | null> {
  const { identity, services, format } = parts;
  const session = await getBroadcast(services.table, identity);
  if (session?.attempt !== identity.attempt || session.stop_requested) {
    log.info('Nothing to do', { attempt: session?.attempt, stop_requested: session?.stop_requested });
    return null;
  }
  const { table, now } = services;
  const reporter = createReporter(identity, { table, now, fps: format.fps });
  const survey = startSurvey(session, {
    services,
    format,
    decoder: parts.decoder,
    least_ms: parts.limits?.survey_ms,
  });
  try {
    const end =
      (await waitForStart(session, reporter, parts, survey)) ??
      (await stream(session, reporter, parts, survey));
    await reporter.end(end);
    return end;
  } finally {
    await survey.stop();
  }
}

/** Waits for the start time and the survey. Resolves with null, or with the end of a broadcast that is not to begin. */
async function waitForStart(
  { start_time }: Broadcast,
  reporter: SessionReporter,
  { services, signal, limits }: SessionParts,
  survey: SessionSurvey,
): Promise<BroadcastEnd | null> {
  const heartbeats = startHeartbeats(reporter, () => NOT_BEGUN, limits?.heartbeat_ms ?? HEARTBEAT_MS);
  heartbeats.beat();
  try {
    while (services.now() < start_time || !survey.isDone()) {
      if (signal.aborted || heartbeats.end() !== null) return { state: 'stopped', error: null };
      await sleep(POLL_MS);
    }
    return null;
  } finally {
    heartbeats.stop();
  }
}

async function stream(
  session: Broadcast,
  reporter: SessionReporter,
  { services, format, decoder, signal, limits }: SessionParts,
  survey: SessionSurvey,
): Promise<BroadcastEnd> {
  const key = await openStreamKey(services, session);
  if (key === null || session.rtmp_url === null) throw new Error('The session has no ingest address');
  const playlist = await getPlaylist(services.table, session.workspace_id, session.playlist_id ?? '');
  if (!playlist || playlist.items.length === 0) {
    const message = playlist ? 'The playlist is empty' : 'The playlist was deleted';
    return { state: 'failed', error: { code: 'NO_PLAYABLE_ITEM', message } };
  }
  return runBroadcast({
    items: itemsOf(playlist, services.table, services.bucket),
    is_loop: session.is_loop,
    format,
    copied: survey.result(playlist.revision),
    ingest: { url: session.rtmp_url, key },
    decoder,
    reporter,
    signal,
    ...(limits && { limits }),
  });
}
