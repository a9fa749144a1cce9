import type { PlatformId } from '../model/platform.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { Services } from '../runtime/services.ts';
import { MINUTE, SECOND, toIso } from '../time/instant.ts';
import type { ErrorCode } from './error-codes.ts';
import { ApiError, validationFailed } from './errors.ts';

/** Codes of the responses 429 and 503 below. */
export const QUOTA_CODES: readonly ErrorCode[] = ['PLATFORM_RATE_LIMIT'];
export const PLATFORM_CODES: readonly ErrorCode[] = [
  'PLATFORM_UNAVAILABLE',
  'PLATFORM_RATE_LIMIT',
  'INTERNAL',
];

/**
 * Runs calls to a platform and turns their PlatformError into a response: 400 when the user can act, 429 when a quota is
 * used up, else 503.
 */
export async function answerPlatformError<T>(
  { now }: Pick<Services, 'now'>,
  platform: PlatformId,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.kind === 'rejected' || error.kind === 'token_expired') {
      throw validationFailed([{ field: 'body', message: error.message, platform }]);
    }
    const delayMs = error.retryAfterMs ?? MINUTE;
    const seconds = Math.ceil(delayMs / SECOND);
    if (error.code === 'QUOTA_EXHAUSTED') {
      throw new ApiError({
        status: 429,
        body: {
          error: error.message,
          code: 'PLATFORM_RATE_LIMIT',
          retry_after: seconds,
          platform,
          limit: error.limit ?? 0,
          resets_at: toIso(now() + delayMs),
        },
        headers: { 'retry-after': String(seconds) },
      });
    }
    throw new ApiError({
      status: 503,
      body: { error: error.message, code: error.code, platform, retry_after: seconds },
      headers: { 'retry-after': String(seconds) },
    });
  }
}
