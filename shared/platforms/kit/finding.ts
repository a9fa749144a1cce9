import { PlatformError } from '../contract/error.ts';
import type { Finding, StepResult } from '../contract/publisher.ts';

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
