import { ApiError, validationFailed } from '../../shared/http/errors.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';

/** Runs calls to a platform and turns their PlatformError into a response: 400 when the user can act, else 503. */
export async function answerPlatformError<T>(platform: PlatformId, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
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
