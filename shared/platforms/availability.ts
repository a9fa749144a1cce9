import type { PlatformId } from '../model/platform.ts';
import { BASICS } from './registry/basics.ts';

/** Returns the message for a platform that the deployment leaves out (setting `platforms`). */
export const notEnabled = (platform: PlatformId) =>
  `${BASICS[platform].display_name} is not enabled in this deployment of the service`;
