import { describeError, log } from '../runtime/log.ts';
import type { Brief } from './brief.ts';
import { readAnswer, type Result } from './read-answer.ts';
import { AiFailure, unavailable, type Writer } from './writer.ts';

/** How long one request may wait for its provider: the gateway gives up after 30 s. Milliseconds. */
export const PATIENCE_MS = 24_000;
/** With less left, a second question is not worth asking. */
const SHORTEST_MS = 2000;
/** A useless answer is asked for once more. */
const TRIES = 2;

/** Has a brief written: one question for all platforms, and one more where the answer is no use. Throws AiFailure. */
export async function generate(
  writer: Writer,
  brief: Brief,
  banned: ReadonlySet<string>,
  patienceMs = PATIENCE_MS,
): Promise<Result> {
  const started = performance.now();
  let remark: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const left = Math.max(1, Math.round(patienceMs - (performance.now() - started)));
    try {
      return readAnswer(brief, await writer.write(brief, remark, left), banned, writer);
    } catch (error) {
      const failure = asFailure(error);
      log.warn('A generation failed', { provider: writer.name, attempt, reason: failure.message });
      const tooLate = patienceMs - (performance.now() - started) < SHORTEST_MS;
      if (!failure.again || attempt === TRIES || tooLate) throw failure;
      remark = failure.message;
    }
  }
}

function asFailure(error: unknown): AiFailure {
  if (error instanceof AiFailure) return error;
  log.error('A provider failed in an unknown way', describeError(error));
  return unavailable('the provider failed');
}
