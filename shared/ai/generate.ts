import { describeError, log } from '../runtime/log.ts';
import type { Brief } from './brief.ts';
import { parseOutput, type GenerationResult } from './parse-output.ts';
import { AiFailure, GENERATION_TIMEOUT_MS, unavailable, type Writer } from './writer.ts';

/** A retry is not worth starting with less time left. */
const MIN_RETRY_MS = 2000;
const MAX_ATTEMPTS = 2;

/** Generates all texts of a brief with one request to the provider; retries once if the output is unusable. Throws AiFailure. */
export async function generate(
  writer: Writer,
  brief: Brief,
  banned: ReadonlySet<string>,
  timeoutMs = GENERATION_TIMEOUT_MS,
): Promise<GenerationResult> {
  const started = performance.now();
  const remaining = () => timeoutMs - (performance.now() - started);
  let feedback: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const output = await writer.write(brief, feedback, Math.max(1, Math.round(remaining())));
      return parseOutput(brief, output, banned, writer);
    } catch (error) {
      const failure = asFailure(error);
      log.warn('AI generation attempt failed', { provider: writer.name, attempt, reason: failure.message });
      if (!failure.retryable || attempt === MAX_ATTEMPTS || remaining() < MIN_RETRY_MS) throw failure;
      feedback = failure.message;
    }
  }
}

function asFailure(error: unknown): AiFailure {
  if (error instanceof AiFailure) return error;
  log.error('AI provider threw an unexpected error', describeError(error));
  return unavailable('the provider failed');
}
