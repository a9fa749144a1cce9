import { ECSClient } from '@aws-sdk/client-ecs';
import { lazy, timeouts } from './clients.ts';

/** Apart from the other clients, so that only the bundle of the function that starts workers contains it. */
export const ecs = lazy(() => new ECSClient(timeouts(5000)));
