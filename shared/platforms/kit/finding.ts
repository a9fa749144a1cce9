import type { PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import type { Finding, Identify, StepResult } from '../contract/publisher.ts';

/** The post was not looked for, or is not there. */
export const ABSENT: Finding = { type: 'absent' };

/**
 * Returns how a commit ends that first looked for the post of a lost request; null where there is none, so that the
 * request may be sent. Throws PlatformError where nobody can tell.
 */
export function resultOf<S>(finding: Finding, state: S): StepResult<S> | null {
  switch (finding.type) {
    case 'published':
      return { type: 'published', post: finding.post, state };
    case 'wait':
      return { type: 'wait', state, delayMs: finding.delayMs };
    case 'absent':
      return null;
    case 'unknown':
      throw new PlatformError({
        kind: 'rejected',
        code: 'DELIVERY_UNKNOWN',
        message: 'The account published the same content twice: it cannot be told which of the posts is live',
      });
  }
}

/**
 * Looks for the post of a lost request before the request is repeated, since the platform's reads may have lagged behind when
 * it was reconciled. A failed search is no answer to the request: it leaves the outcome unknown, and delivery reconciles again.
 */
export async function searchAfterLoss<T>(search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    // The search is repeated with renewed credentials.
    if (!(error instanceof PlatformError) || error.kind === 'token_expired') throw error;
    const { kind, code, message, retryAfterMs, keepsAccount } = error;
    throw new PlatformError({ kind, code, message, retryAfterMs, keepsAccount, outcomeUnknown: true });
  }
}

/**
 * Returns the only one of the candidates that no other post of the account has. Several prove nothing where little tells
 * posts apart: one may have been posted in the platform's app.
 */
export async function identifyOnly(
  identify: Identify,
  candidates: readonly PublishedPost[],
  looksAlike?: Parameters<Identify>[1],
): Promise<Finding> {
  const finding = await identify(candidates, looksAlike);
  if (finding.type !== 'published') return finding;
  const others = candidates.filter(({ platform_post_id: id }) => id !== finding.post.platform_post_id);
  const isOnly = (await identify(others, looksAlike)).type === 'absent';
  return isOnly ? finding : { type: 'unknown' };
}
