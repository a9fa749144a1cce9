import { failure, type Failure } from '../model/failure.ts';
import type { PlatformId } from '../model/platform.ts';
import { RULES } from '../platforms/registry.ts';

/** Returns the failure of a destination whose platform has rules but no publisher: a retry cannot help. */
export function publisherMissing(platform: PlatformId): Failure {
  const why = `This version of the service cannot publish to ${RULES[platform].display_name} yet`;
  return {
    ...failure('PLATFORM_UNAVAILABLE', why),
    retryable: false,
    remedy: 'Publish there manually, or update the service and retry the post.',
  };
}
