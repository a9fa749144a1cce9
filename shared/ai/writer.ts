import * as v from 'valibot';
import type { Brief } from './brief.ts';

/** Who writes, and where: the value of the function's setting. */
export const ProviderSchema = v.variant('provider', [
  v.object({ provider: v.literal('bedrock'), model: v.string() }),
  v.object({ provider: v.literal('openai'), base_url: v.string(), model: v.string() }),
  v.object({ provider: v.literal('offline') }),
]);
export type ProviderSetting = v.InferOutput<typeof ProviderSchema>;

export interface Writer {
  /** Named in the header of the answer. */
  name: ProviderSetting['provider'];
  /** Whether it can be asked for another language than the text's. */
  translates: boolean;
  /**
   * Writes for all platforms at once and gives what came, whatever it is. `remark`: what was wrong with the answer
   * before. Throws AiFailure when nothing came within `timeoutMs`.
   */
  write: (brief: Brief, remark: string | null, timeoutMs: number) => Promise<unknown>;
}

/** No result. `again`: the same question may well be answered better. The message holds no text of a user. */
export class AiFailure extends Error {
  override readonly name = 'AiFailure';
  readonly again: boolean;
  constructor(message: string, again: boolean) {
    super(message);
    this.again = again;
  }
}

/** An answer that is no use: refused, cut off, malformed. */
export const unusable = (message: string) => new AiFailure(message, true);
/** The provider cannot be had: asking once more within the same request is in vain. */
export const unavailable = (message: string) => new AiFailure(message, false);
