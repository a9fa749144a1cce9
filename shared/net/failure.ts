/** Thrown without a response. `sent`: the whole request was written, so the server may have acted on it. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly reason: 'blocked' | 'network' | 'timeout' | 'too_large';
  readonly sent: boolean;
  constructor(reason: HttpFailure['reason'], message: string, sent: boolean) {
    super(message);
    this.reason = reason;
    this.sent = sent;
  }
}

/** Returns an error of a request as HttpFailure. */
export function toHttpFailure(error: unknown, sent: boolean): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  if (cause.cause instanceof HttpFailure) return cause.cause;
  // Compared by text: in a test runner, errors come from another realm with other classes.
  const timedOut = /^(?:Timeout|Abort)Error\b/.test(String(error));
  return new HttpFailure(timedOut ? 'timeout' : 'network', cause.message, sent);
}
