import { failure, type Failure } from '../model/failure.ts';
import type { PlatformId } from '../model/platform.ts';
import { RULES } from '../platforms/registry.ts';

/** Why a post does not reach a platform that has rules but no publisher: another attempt cannot help. */
export function publisherMissing(platform: PlatformId): Failure {
  const why = `This version of the service cannot publish to ${RULES[platform].display_name} yet`;
  return {
    ...failure('PLATFORM_UNAVAILABLE', why),
    retryable: false,
    remedy: 'Publish there by hand, or update the service and retry the post.',
  };
}
