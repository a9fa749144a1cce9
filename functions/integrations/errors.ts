import { ApiError } from '../../shared/http/errors.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { RULES } from '../../shared/platforms/registry.ts';

export const notAvailable = (platform: PlatformId) =>
  new ApiError({
    status: 501,
    body: {
      error: `This version of the service cannot connect ${RULES[platform].display_name} yet`,
      code: 'PLATFORM_NOT_AVAILABLE',
      platform,
    },
  });

export const notConfigured = (platform: PlatformId) =>
  new ApiError({
    status: 503,
    body: {
      error: `No ${platform} app is set. An owner of the workspace can set its own with PUT /workspace/platform-apps/${platform}; the operator can set one for all with: npm run admin -- platform set ${platform}`,
      code: 'PLATFORM_NOT_CONFIGURED',
      platform,
    },
    headers: { 'retry-after': '300' },
  });
