import type { Broadcast } from '../../../shared/model/broadcast.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { Services } from '../../../shared/runtime/services.ts';
import { getPlaylist } from '../../../shared/store/playlists.ts';
import { SECOND } from '../../../shared/time/instant.ts';
import { surveyPlaylist, type Survey, type SurveyOptions } from '../playlist/survey.ts';
import { itemsOf } from './items.ts';

/** A survey of a session's playlist while its worker waits for the start time. */
export interface SessionSurvey {
  isDone: () => boolean;
  /** Returns what it found of this revision of the playlist. */
  result: (revision: number) => Survey['copied'];
  /** Ends it; resolves when its processes have ended. */
  stop: () => Promise<void>;
}

export interface SessionSurveyOptions extends Pick<SurveyOptions, 'format' | 'decoder'> {
  services: Pick<Services, 'table' | 'bucket' | 'now'>;
  /** How long the survey may take at least, although the start time has passed. */
  least_ms?: number | undefined;
}

/** A survey may take until the start time, at most so long. A worker in place of another one has little time for it. */
const LONGEST_MS = 30 * SECOND;
const SHORTEST_MS = 5 * SECOND;

/** Begins to survey the playlist of a session. */
export function startSurvey(
  session: Pick<Broadcast, 'workspace_id' | 'playlist_id' | 'start_time'>,
  { services, format, decoder, least_ms = SHORTEST_MS }: SessionSurveyOptions,
): SessionSurvey {
  const stopping = new AbortController();
  const left = session.start_time - services.now();
  const limit_ms = Math.max(least_ms, Math.min(LONGEST_MS, left));
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(limit_ms)]);
  let found: (Survey & { revision: number }) | null = null;
  let isDone = false;

  async function run(): Promise<void> {
    const playlist = await getPlaylist(services.table, session.workspace_id, session.playlist_id ?? '');
    if (!playlist || playlist.items.length === 0) return;
    const items = itemsOf(playlist, services.table, services.bucket);
    found = { ...(await surveyPlaylist({ items, format, decoder, signal })), revision: playlist.revision };
  }

  const running = run()
    .catch((error: unknown) => {
      log.warn('Could not survey the playlist', {
        error_message: error instanceof Error ? error.message : String(error),
      });
    })
    .finally(() => (isDone = true));

  return {
    isDone: () => isDone,
    result: revision => {
      const isCurrent = found?.revision === revision;
      const copied = isCurrent ? (found?.copied ?? null) : null;
      const reason = isCurrent ? found?.reason : 'The playlist was changed, or could not be surveyed';
      log.info('Playlist surveyed', { pictures: copied ? 'copied' : 'encoded', reason });
      return copied;
    },
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
