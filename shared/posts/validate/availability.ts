import type { PlatformId } from '../../model/platform.ts';
import { BASICS } from '../../platforms/registry/basics.ts';
import { PUBLISHED_PLATFORMS } from '../../platforms/registry/published.ts';
import type { FieldWarning } from '../warning.ts';

/** Returns a warning for each platform that has rules but no publisher yet: the post is accepted and will fail there. */
export function availabilityWarnings(
  platforms: readonly PlatformId[],
  published = PUBLISHED_PLATFORMS,
): FieldWarning[] {
  return platforms
    .filter(platform => !published.includes(platform))
    .map(platform => ({
      code: 'PLATFORM_NOT_AVAILABLE',
      field: 'platforms',
      message: `This version of the service cannot publish to ${BASICS[platform].display_name} yet: the post will fail there`,
      platform,
    }));
}
