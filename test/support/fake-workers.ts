import { openStreamKey } from '../../shared/broadcasts/stream-key.ts';
import type { WorkerRef, WorkerTasks } from '../../shared/broadcasts/tasks.ts';
import type { WorkerState } from '../../shared/model/broadcast.ts';
import type { SandboxIngest } from '../../shared/platforms/contract/sandbox.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getBroadcast, recordHeartbeat } from '../../shared/store/broadcasts.ts';

interface Task extends WorkerRef {
  arn: string;
  running: boolean;
  /** False for a worker that hangs: it runs, but reports nothing. */
  reports: boolean;
  state: WorkerState;
  streamKey: string | null;
}

/** Tasks in memory whose workers report, and tell the ingest that they send once their broadcast has started. */
export function fakeWorkers(services: Services, ingest: SandboxIngest) {
  const started: Task[] = [];
  const options = { hasCapacity: true, stops: true };
  const running = () => started.filter(task => task.running);

  function end(task: Task): void {
    task.running = false;
    if (task.streamKey !== null) ingest.streamStopped(task.streamKey);
  }

  const tasks: WorkerTasks = {
    run: worker => {
      if (!options.hasCapacity) return Promise.resolve('no_capacity');
      const arn = `${worker.sessionId}:${worker.attempt}`;
      if (!started.some(task => task.arn === arn)) {
        started.push({ ...worker, arn, running: true, reports: true, state: 'preparing', streamKey: null });
      }
      return Promise.resolve({ arn });
    },
    stop: arn => {
      const task = started.find(each => each.arn === arn);
      if (task && options.stops) end(task);
      return Promise.resolve();
    },
    isRunning: arn => Promise.resolve(running().some(task => task.arn === arn)),
    runningOf: sessionId =>
      Promise.resolve(running().flatMap(task => (task.sessionId === sessionId ? [task.arn] : []))),
  };

  /** Lets every worker report, as it does every few seconds. */
  async function tick(): Promise<void> {
    for (const task of running().filter(({ reports }) => reports)) await report(task);
  }

  async function report(task: Task): Promise<void> {
    const ref = { workspace_id: task.workspaceId, id: task.sessionId };
    const session = task.state === 'preparing' ? await getBroadcast(services.table, ref) : null;
    if (session && services.now() >= session.start_time) {
      task.streamKey = await openStreamKey(services, session);
      task.state = 'streaming';
    }
    if (task.state === 'streaming' && task.streamKey !== null) ingest.streamStarted(task.streamKey);
    const answer = await recordHeartbeat(services.table, ref, task.attempt, {
      heartbeat_at: services.now(),
      worker_state: task.state,
      progress: { item: 0, ticks: 1, fillers: 0, bytes: 1, reconnects: 0, last_error: null },
    });
    const isOver = task.state === 'finished' || task.state === 'failed';
    if (isOver || answer === null || answer.stop_requested) end(task);
  }

  return {
    tasks,
    started,
    running,
    options,
    tick,
    /** Ends every worker without a last report. */
    kill: () => running().forEach(end),
    hang: () => running().forEach(task => (task.reports = false)),
    finish: (state: 'finished' | 'failed') => running().forEach(task => (task.state = state)),
  };
}
