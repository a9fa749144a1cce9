import { ApiError } from '../../http/errors.ts';

/** The answer to a post whose slots others keep taking. */
export const queueBusy = () =>
  new ApiError({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { error: 'The queue of this profile is busy. Try again', code: 'QUEUE_BUSY' },
  });
