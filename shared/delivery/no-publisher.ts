import { failure, type Failure } from '../model/failure.ts';
import type { PlatformId } from '../model/platform.ts';
import { notEnabled } from '../platforms/availability.ts';
import { BASICS } from '../platforms/registry/basics.ts';

/** Returns the failure of a destination whose platform has rules but no publisher: a retry cannot help. */
export function publisherMissing(platform: PlatformId): Failure {
  const why = `This version of the service cannot publish to ${BASICS[platform].display_name} yet`;
  return permanent(why, 'Publish there manually, or update the service and retry the post.');
}

/** Returns the failure of a destination whose platform the deployment leaves out. */
export function platformDisabled(platform: PlatformId): Failure {
  return permanent(
    notEnabled(platform),
    'Publish there manually, or have the operator enable the platform and retry the post.',
  );
}

const permanent = (why: string, remedy: string): Failure => ({
  ...failure('PLATFORM_UNAVAILABLE', why),
  retryable: false,
  remedy,
});
