import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { describeError, log } from '../runtime/log.ts';

/**
 * Logs an error that is not an answer of the platform, with its stack: the failure that is stored has only its name. Answers of
 * platforms are expected, and stored with their message.
 */
export function logUnexpected(
  error: unknown,
  { post_id, workspace_id, request_id }: Post,
  { platform, attempts }: Destination,
): void {
  if (error instanceof PlatformError) return;
  const fields = { post_id, workspace_id, platform, attempt: attempts, request_id };
  log.error('Publishing failed with an unexpected error', { ...fields, ...describeError(error) });
}
