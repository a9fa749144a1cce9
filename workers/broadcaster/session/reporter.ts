import type { BroadcastRef, WorkerProgress, WorkerState } from '../../../shared/model/broadcast.ts';
import { log } from '../../../shared/runtime/log.ts';
import { recordHeartbeat } from '../../../shared/store/broadcasts.ts';
import type { Table } from '../../../shared/store/table.ts';
import { SECOND } from '../../../shared/time/instant.ts';
import type { BroadcastEnd, Heartbeat, Reporter } from '../reporter.ts';

export interface WorkerIdentity extends BroadcastRef {
  attempt: number;
}

/** Reports into the session. */
export interface SessionReporter extends Reporter {
  /** Stores how the broadcast ended, unless another worker is to go on with it. */
  end: (end: BroadcastEnd) => Promise<void>;
}

const NOTHING_SENT: WorkerProgress = {
  item: null,
  ticks: 0,
  fillers: 0,
  bytes: 0,
  reconnects: 0,
  last_error: null,
};

/** How a worker leaves its session. A stopped one leaves it as it is: unless a user stopped it, another takes its place. */
const FINAL_STATES = { completed: 'finished', failed: 'failed', stopped: null } as const satisfies Record<
  BroadcastEnd['state'],
  WorkerState | null
>;

export function createReporter(
  identity: WorkerIdentity,
  parts: { table: Table; now: () => number; fps: number },
): SessionReporter {
  let progress = NOTHING_SENT;
  let itemError: string | null = null;

  async function report(worker_state: WorkerState): Promise<'continue' | 'stop'> {
    const heartbeat_at = parts.now();
    const last_error = itemError ?? progress.last_error;
    const found = await recordHeartbeat(parts.table, identity, identity.attempt, {
      heartbeat_at,
      worker_state,
      progress: { ...progress, last_error },
    });
    if (found && !found.stop_requested) return 'continue';
    log.info('The broadcast must end', { reason: found ? 'stop requested' : 'superseded' });
    return 'stop';
  }

  return {
    heartbeat: beat => {
      progress = progressOf(beat, parts.fps);
      return report(beat.state === 'starting' ? 'preparing' : 'streaming');
    },
    final: beat => {
      const { item } = progress;
      progress = progressOf(beat, parts.fps);
      // No item is shown any more: the last one stays.
      progress.item ??= item;
    },
    item: ({ failure, ...item }) => {
      if (failure) itemError = `Item ${item.index + 1}: ${failure.code}: ${failure.message}`;
      log.info('Item ended', { ...item, error_code: failure?.code, error_message: failure?.message });
    },
    end: async ({ state, error }) => {
      const final = FINAL_STATES[state];
      itemError = error ? `${error.code}: ${error.message}` : itemError;
      log.info('Broadcast ended', { state, error_code: error?.code, ...progress });
      if (final) await report(final);
    },
  };
}

function progressOf(beat: Heartbeat, fps: number): WorkerProgress {
  const toTicks = (ms: number) => Math.round((ms * fps) / SECOND);
  return {
    item: beat.item_index,
    ticks: toTicks(beat.streamed_ms),
    fillers: toTicks(beat.filler_ms),
    bytes: beat.ingest.bytes_sent,
    reconnects: beat.ingest.losses,
    last_error: beat.ingest.last_error,
  };
}
