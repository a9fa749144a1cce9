import { Logger } from '@aws-lambda-powertools/logger';

/** Structured logs of this function: one JSON line an event. Ids and codes only; never a body, a header, a token. */
export const log = new Logger({
  serviceName: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'social-publishing',
});

/** What of an error may be written down: its name and stack, and its message unless it could quote a request. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error_name: typeof error };
  return { error_name: error.name, error_message: error.message, stack: error.stack };
}
