import * as v from 'valibot';
import { UNKNOWN_POST_ID } from '../../../model/destination.ts';
import { PlatformError } from '../../contract/error.ts';
import { defineFollowUp, type FollowUp, type StepContext } from '../../contract/publisher.ts';
import { isGraphError } from './errors.ts';

/**
 * Returns the follow-up that reads the link of a live post which could not be read at once: a link never puts a live post
 * in doubt. `read` returns null where the platform does not name it yet.
 */
export function permalinkFollowUp<S, C>(
  platform: string,
  read: (context: StepContext<C>, postId: string) => Promise<string | null>,
): FollowUp<S, C> {
  return defineFollowUp<Record<string, never>, S, C>({
    name: 'permalink',
    idempotent: true,
    state: v.object({}),
    isNeeded: ({ platform_post_id: id, platform_post_url: url }) => url === null && id !== UNKNOWN_POST_ID,
    initial: () => ({}),
    run: async (context, _, { platform_post_id }) => {
      const url = await read(context, platform_post_id);
      if (url === null) throw showsLater(`${platform} does not name the link of the post yet`);
      return { type: 'done', amend: { platform_post_url: url } };
    },
  });
}

/** Turns the refusal to show an object into a transient error: Graph APIs show new ones after a while. */
export async function orLater<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (isGraphError(error, 100, 33)) throw showsLater(error.message);
    throw error;
  }
}

/** The platform shows a new post after a while. */
export const showsLater = (message: string) =>
  new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
