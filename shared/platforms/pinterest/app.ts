import * as v from 'valibot';
import type { AppCredentials } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';

const ENVIRONMENTS = ['production', 'sandbox'] as const;

/** Fields of a Pinterest app beside its id and secret. */
export const APP_FIELDS = {
  /** Apps with trial access can create Pins in Pinterest's own sandbox only, where nobody else sees them. */
  environment: v.exactOptional(v.picklist(ENVIRONMENTS, `Must be one of ${ENVIRONMENTS.join(', ')}`)),
};

/** True for an app that works in Pinterest's own sandbox. Its tokens are valid there only. */
export const usesPinterestSandbox = (app: AppCredentials | null) => app?.['environment'] === 'sandbox';

/** Returns the URL that all paths of the API follow, the token endpoint included. */
export function apiRoot(app: AppCredentials | null): string {
  return `https://${usesPinterestSandbox(app) ? 'api-sandbox' : 'api'}.pinterest.com/v5`;
}

/** Returns the app. Throws PlatformError `transient` where the operator has not set it. */
export function requireApp(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: 'The credentials of the Pinterest app are not set',
  });
}
