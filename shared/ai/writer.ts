import * as v from 'valibot';
import type { Brief } from './brief.ts';

/** How long a generation may take, retry included: API Gateway gives up after 30 s. Milliseconds. */
export const GENERATION_TIMEOUT_MS = 24_000;

/** The AI provider of the stack: the value of the function's setting. */
export const ProviderSchema = v.variant('provider', [
  /** Null: the default model, as the region of the function offers it. */
  v.object({ provider: v.literal('bedrock'), model: v.nullable(v.string()) }),
  v.object({ provider: v.literal('openai'), base_url: v.string(), model: v.string() }),
  v.object({ provider: v.literal('offline') }),
]);
export type ProviderSetting = v.InferOutput<typeof ProviderSchema>;

export interface Writer {
  /** Named in the header X-AI-Provider of the answer. */
  name: ProviderSetting['provider'];
  /** Whether it can write in another language than the source text's. */
  translates: boolean;
  /**
   * Writes for all platforms at once and returns the provider's raw output. `feedback` says what was wrong with the
   * previous output; null at the first attempt. Throws AiFailure when there is no output within `timeoutMs`.
   */
  write: (brief: Brief, feedback: string | null, timeoutMs: number) => Promise<unknown>;
}

/** No result. `retryable`: another attempt may well succeed. The message never holds a user's text. */
export class AiFailure extends Error {
  override readonly name = 'AiFailure';
  readonly retryable: boolean;
  constructor(message: string, retryable: boolean) {
    super(message);
    this.retryable = retryable;
  }
}

/** The provider's output cannot be used: refused, cut off, malformed. Another attempt may succeed. */
export const unusable = (message: string) => new AiFailure(message, true);
/** The provider cannot be reached or denies access; another attempt within the same request is pointless. */
export const unavailable = (message: string) => new AiFailure(message, false);
