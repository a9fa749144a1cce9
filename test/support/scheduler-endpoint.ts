import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { startAwsEndpoint } from '../../local/aws/endpoint.ts';
import type { Scheduler } from '../../local/aws/scheduler.ts';
import { localClientConfig } from '../../local/aws/tables.ts';
import { noServices } from './no-services.ts';

export interface SchedulerEndpoint {
  /** Calls the Scheduler that was opened last. */
  client: SchedulerClient;
  open: (scheduler: Scheduler) => void;
  close: () => Promise<void>;
}

/** Starts the local AWS endpoint with a Scheduler only. */
export async function startSchedulerEndpoint(): Promise<SchedulerEndpoint> {
  const awsEndpoint = await startAwsEndpoint();
  const client = new SchedulerClient(localClientConfig(awsEndpoint.url));
  const services = noServices();
  return {
    client,
    open: scheduler => awsEndpoint.open({ ...services, scheduler }),
    close: async () => {
      client.destroy();
      await awsEndpoint.close();
    },
  };
}
