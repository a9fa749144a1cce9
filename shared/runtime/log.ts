import { Logger } from '@aws-lambda-powertools/logger';

/** Structured logger: one JSON line per event. Log ids and codes only; never a body, a header or a token. */
export const log = new Logger({
  serviceName: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'social-publishing',
});

/** Returns the name, message and stack of an error as log fields. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error_name: typeof error };
  return { error_name: error.name, error_message: error.message, stack: error.stack };
}
