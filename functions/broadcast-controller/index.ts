import { ecs } from '../../shared/aws/ecs.ts';
import { ENV } from '../../shared/aws/env.ts';
import { livePlatform } from '../../shared/broadcasts/account.ts';
import { handleBroadcastMessage } from '../../shared/broadcasts/control.ts';
import { createEcsTasks } from '../../shared/broadcasts/ecs-tasks.ts';
import { BroadcastMessageSchema } from '../../shared/broadcasts/messages.ts';
import { noTasks, readWorkerSettings, type WorkerTasks } from '../../shared/broadcasts/tasks.ts';
import { services } from '../../shared/runtime/services.ts';
import { consume } from '../../shared/runtime/worker.ts';

const shared = services();

function workerTasks(): WorkerTasks {
  const settings = readWorkerSettings(shared.setting(ENV.liveWorker));
  return settings ? createEcsTasks(ecs(), settings) : noTasks;
}

/** Acts on live broadcasts: starts them in time, watches them, ends them. */
export const handler = consume(BroadcastMessageSchema, async message =>
  handleBroadcastMessage({ services: shared, tasks: workerTasks(), live: await livePlatform() }, message),
);
