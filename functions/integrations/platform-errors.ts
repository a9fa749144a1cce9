import { ApiError, validationFailed } from '../../shared/http/errors.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';

/** Turns what a platform said while connecting into an answer that the user can act on. */
export async function answerPlatformError<T>(platform: PlatformId, exchange: () => Promise<T>): Promise<T> {
  try {
    return await exchange();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.kind === 'rejected' || error.kind === 'token_expired') {
      throw validationFailed([{ field: 'body', message: error.message, platform }]);
    }
    const seconds = Math.ceil((error.retryAfterMs ?? 60_000) / 1000);
    throw new ApiError({
      status: 503,
      body: { error: error.message, code: error.code, platform, retry_after: seconds },
      headers: { 'retry-after': String(seconds) },
    });
  }
}
