import { ApiError } from '../../shared/http/errors.ts';
import type { PlatformId } from '../../shared/model/platform.ts';

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
