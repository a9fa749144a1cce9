import { log } from '../runtime/log.ts';
import { setTaskArn } from '../store/broadcasts.ts';
import { ending, type Ending, type StepContext } from './run.ts';
import { withNextWorker } from './transitions.ts';
import { mayReplaceWorker, workerHealth, type WorkerHealth } from './worker-health.ts';

/** Starts the worker where it is not started yet, and replaces a lost one. Returns why the broadcast is over, or null. */
export async function watchWorker(context: StepContext): Promise<Ending | null> {
  await startWorker(context);
  const health = await healthOf(context);
  const { progress, task_arn } = context.held.broadcast;
  switch (health) {
    case 'well':
      return null;
    case 'finished':
      return ending('completed');
    case 'failed':
      return ending(
        'failed',
        'WORKER_FAILED',
        progress?.last_error ?? 'The worker could not stream the playlist',
      );
    case 'lost':
      if (mayReplaceWorker(context.held.broadcast, context.services.now())) return replaceWorker(context);
      return task_arn === null
        ? ending(
            'failed',
            'NO_CAPACITY',
            'No worker could be started: AWS has no capacity or refuses to start one',
          )
        : ending('failed', 'WORKER_LOST', 'The worker died, and so did the one in its place');
  }
}

/** Repeated after a crash, this starts no second task: a worker is named by its attempt. */
async function startWorker({ held, tasks, services }: StepContext): Promise<void> {
  const { id, workspace_id, attempt, task_arn } = held.broadcast;
  if (task_arn !== null) return;
  const started = await tasks.run({ sessionId: id, workspaceId: workspace_id, attempt });
  if (started === 'no_capacity') {
    log.warn('The worker of a broadcast could not be started', { session_id: id, attempt });
    return;
  }
  await setTaskArn(services.table, held.broadcast, attempt, started.arn);
  await held.reload();
}

async function healthOf({ held, tasks, services }: StepContext): Promise<WorkerHealth> {
  const { task_arn } = held.broadcast;
  const isRunning = task_arn === null || (await tasks.isRunning(task_arn));
  // Its last heartbeat may say why it is gone.
  if (!isRunning) await held.reload();
  return workerHealth(held.broadcast, isRunning, services.now());
}

async function replaceWorker(context: StepContext): Promise<null> {
  const { held, tasks, services } = context;
  const { id, task_arn, attempt } = held.broadcast;
  log.warn('The worker of a broadcast is lost and is being replaced', { session_id: id, attempt });
  // From then on, its heartbeats are refused: should it still run, it ends itself.
  await held.save(withNextWorker(held.broadcast, services.now()));
  if (task_arn !== null) await tasks.stop(task_arn, 'Replaced by another worker');
  await startWorker(context);
  return null;
}
