import { SECOND } from '../time/instant.ts';
import type { StepContext } from './run.ts';
import { findLostBroadcast } from './set-up.ts';

/** The end at the platform waits so long for the worker to send the rest of its stream. */
const WORKER_END_MS = 15 * SECOND;
const POLL_MS = 3 * SECOND;

/**
 * Ends what a broadcast leaves behind: its tasks, and the broadcast and the stream at the platform. Safe to repeat from any
 * point. Throws PlatformError.
 */
export async function cleanUp(context: StepContext): Promise<number | null> {
  const { held, services } = context;
  const now = services.now();
  const isWorkerGone = await stopTasks(context);
  const waitsForWorker = now < (held.broadcast.ended_at ?? now) + WORKER_END_MS;
  if (!isWorkerGone && waitsForWorker) return now + POLL_MS;
  const isOver = await endAtPlatform(context);
  if (!isOver || !isWorkerGone) return now + POLL_MS;
  return null;
}

/** Stops all tasks of a broadcast, those of lost workers included. Returns whether none is left. */
async function stopTasks({ held, tasks }: StepContext): Promise<boolean> {
  const { id, attempt, task_arn } = held.broadcast;
  if (attempt === 0) return true;
  const listed = await tasks.runningOf(id);
  // A new task may not be listed yet.
  const isUnlisted = task_arn !== null && !listed.includes(task_arn) && (await tasks.isRunning(task_arn));
  const running = isUnlisted ? [...listed, task_arn] : listed;
  for (const arn of running) await tasks.stop(arn, 'The broadcast is over');
  return running.length === 0;
}

/** Ends, and where wanted deletes, broadcast and stream. Returns false while the platform is still moving the broadcast. */
async function endAtPlatform(context: StepContext): Promise<boolean> {
  const { held, call } = context;
  const { youtube_stream_id, delete_requested, is_ready } = held.broadcast;
  const id = held.broadcast.youtube_broadcast_id ?? (await findLostBroadcast(context));
  if (id !== null) {
    const stage = await call(calls => calls.stageOf(id));
    if (stage === 'live') await call(calls => calls.complete(id));
    if (stage === 'live' || stage === 'starting') return false;
    if (delete_requested) await call(calls => calls.deleteBroadcast(id));
  }
  const streamId = youtube_stream_id ?? (is_ready ? null : await findLostStream(context));
  if (streamId !== null) await call(calls => calls.deleteStream(streamId));
  return true;
}

async function findLostStream({ held, call }: StepContext): Promise<string | null> {
  const { id, intents } = held.broadcast;
  if (intents.stream === null) return null;
  return (await call(calls => calls.findStream(id)))?.id ?? null;
}
