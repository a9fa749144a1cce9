import { MINUTE } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { Step, StepContext } from '../contract/publisher.ts';
import type { Credentials } from './credentials.ts';
import type { State } from './upload.ts';

/** How long all posts of an app wait after X refused one for the app's credits, cap or level. */
const PAUSE_MS = 15 * MINUTE;

/**
 * Returns a step that waits while its app is paused, and pauses the app where X says that its credits are used up: every
 * other post of the app, whatever its account, would fail in the same way.
 */
export function pausingApp(step: Step<State, Credentials>): Step<State, Credentials> {
  return {
    ...step,
    run: async (context, state) => {
      await context.quota.requireOpen('credits');
      try {
        return await step.run(context, state);
      } catch (error) {
        if (isUsedUp(error)) await pause(context);
        throw error;
      }
    },
  };
}

/** True for a refusal that concerns the app and lasts until its operator acts. */
const isUsedUp = (error: unknown) =>
  error instanceof PlatformError && error.code === 'QUOTA_EXHAUSTED' && error.kind === 'rejected';

const pause = ({ quota, now }: StepContext<Credentials>) => quota.exhausted('credits', now() + PAUSE_MS);
