import * as v from 'valibot';
import { connectionsOfCallback } from '../../shared/connections/callbacks.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { findPlatform } from '../../shared/http/platform.ts';
import type { Connection } from '../../shared/model/profile.ts';
import type { Services } from '../../shared/runtime/services.ts';

/** Body of the callbacks of Meta's platforms. */
export const signedRequestBody = {
  signed_request: v.pipe(
    v.string('Must be a string'),
    v.maxLength(4096, 'Must be at most 4096 characters'),
    v.description('Signature and payload, as the platform sends them'),
  ),
};

/** Returns the accounts of the user that the platform names. Throws 400 for a request that it did not sign. */
export async function accountsOfRequest(
  services: Services,
  platformName: string,
  signedRequest: string,
): Promise<Connection[]> {
  const accounts = await connectionsOfCallback(services, findPlatform(platformName), signedRequest);
  if (accounts) return accounts;
  throw new ApiError({
    status: 400,
    body: { error: 'The signature does not belong to an app of this service', code: 'BAD_SIGNATURE' },
  });
}
