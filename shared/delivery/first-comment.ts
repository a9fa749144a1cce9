import type { DestinationOf } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import { saveDestination } from '../store/posts.ts';
import { asPlatformError } from './outcome.ts';
import type { DeliveryRun } from './deliver.ts';
import { openDeliveryContext } from './context.ts';

type Published = DestinationOf<'published'>;
type FirstComment = NonNullable<Published['first_comment']>;

/**
 * Runs the steps after the commit. The comment is written down as failed before it is tried: a worker that dies in
 * between leaves that word, and never a second comment. Nothing here touches the post. Null when somebody else moved
 * the destination.
 */
export async function publishFirstComment(
  run: DeliveryRun,
  post: Post,
  destination: Published,
): Promise<Post | null> {
  const doubt = failure('DELIVERY_UNKNOWN', 'The answer to the comment was lost; it may be live');
  const tried = withComment(destination, { status: 'failed', error: doubt });
  const held = await saveDestination(run.services.table, post, destination, tried);
  if (!held) return null;
  const result = await comment(run, held, tried);
  return saveDestination(run.services.table, held, tried, withComment(tried, result));
}

async function comment(run: DeliveryRun, post: Post, destination: Published): Promise<FirstComment> {
  const opened = await openDeliveryContext(run, post, destination.platform, () => Promise.resolve());
  if (!opened) {
    return { status: 'failed', error: failure('TOKEN_EXPIRED', 'The account is not connected any more') };
  }
  const { publisher, job, context } = opened.attempt;
  try {
    for (const step of publisher.plan(job).filter(({ kind }) => kind === 'finish')) {
      await step.finish(await context(false), publisher.start(job), destination);
    }
    return { status: 'published', error: null };
  } catch (error) {
    const { code, message } = asPlatformError(error);
    return { status: 'failed', error: failure(code, message) };
  } finally {
    opened.close();
  }
}

function withComment(destination: Published, first_comment: FirstComment): Published {
  return { ...destination, first_comment, revision: destination.revision + 1 };
}
