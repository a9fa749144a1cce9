import { readPlatformId, type PlatformId } from '../model/platform.ts';
import { notEnabled } from '../platforms/availability.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { ApiError, notFound } from './errors.ts';

/** Returns the platform of a path parameter. Throws 404. */
export function findPlatform(name: string): PlatformId {
  const platform = readPlatformId(name);
  if (!platform) throw notFound('Platform');
  return platform;
}

const unavailable = (platform: PlatformId, error: string) =>
  new ApiError({ status: 501, body: { error, code: 'PLATFORM_NOT_AVAILABLE', platform } });

/** 501 for a platform without a connector. */
export const notAvailable = (platform: PlatformId) =>
  unavailable(platform, `This version of the service cannot connect ${BASICS[platform].display_name} yet`);

/** 501 for a platform that the deployment leaves out. */
export const disabled = (platform: PlatformId) => unavailable(platform, notEnabled(platform));
