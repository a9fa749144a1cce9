import type { AwsServices } from '../../local/aws/endpoint.ts';

/** An ECS that no test of this endpoint calls. */
export const noTasks: AwsServices['ecs'] = {
  handle: () => {
    throw new Error('ECS is not emulated here');
  },
};
