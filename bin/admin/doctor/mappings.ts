import {
  GetEventSourceMappingCommand,
  ListEventSourceMappingsCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ENV, publishMappingVariable } from '../../../shared/aws/env.ts';
import { isListed } from '../../../shared/model/platform.ts';
import { connectedPlatforms } from '../../../shared/store/connected-platforms.ts';
import { counted, orOk, todo, type Check } from './finding.ts';

/** States of a mapping that polls its queue, or is about to. */
const POLLING = ['Enabled', 'Enabling', 'Creating', 'Updating'];

/** Whether Lambda polls the queues: those of events and dispatch, and the publish queues of connected platforms. */
export const mappings: Check = {
  name: 'polling',
  run: async ({ lambda, sqs, table, settings }) => {
    const setting = await settings();
    const connected = await connectedPlatforms(table);
    const enabled = connected.filter(platform => !isListed(setting(ENV.disabledPlatforms), platform));
    const states = await Promise.all([
      stateOfQueue(lambda, sqs, 'dispatch', setting(ENV.dispatchQueueUrl)),
      stateOfQueue(lambda, sqs, 'events', setting(ENV.eventsQueueUrl)),
      ...enabled.map(async platform => {
        const UUID = setting(publishMappingVariable(platform));
        const { State = 'Unknown' } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
        return { queue: `publish-${platform}`, state: State };
      }),
    ]);
    return orOk(
      states
        .filter(({ state }) => !POLLING.includes(state))
        .map(({ queue, state }) =>
          todo(
            `Lambda does not poll the queue ${queue} (${state}). The sweeper turns publish queues on within a minute: if this ` +
              'stays, read its log. Others: run npm run deploy',
          ),
        ),
      `Lambda polls ${counted(states.length, 'queue')}`,
    );
  },
};

async function stateOfQueue(lambda: LambdaClient, sqs: SQSClient, queue: string, QueueUrl: string) {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const { EventSourceMappings = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ EventSourceArn: Attributes?.QueueArn }),
  );
  return { queue, state: EventSourceMappings[0]?.State ?? 'no mapping' };
}
