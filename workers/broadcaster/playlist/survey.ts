import { setMaxListeners } from 'node:events';
import type { CopiedPictures, StreamFormat } from '../format.ts';
import type { PictureFacts } from '../picture-facts.ts';
import { commonPictures, copyProblem } from './copyable.ts';
import { startDecoder, type DecoderSettings } from './decoder-process.ts';
import type { PlaylistItem } from './open-item.ts';

/** Whether the pictures of a playlist are sent as they are. */
export interface Survey {
  /** Null where they must be encoded. */
  copied: CopiedPictures | null;
  /** Why they must be; null where they need not. */
  reason: string | null;
}

export interface SurveyOptions {
  items: readonly PlaylistItem[];
  format: StreamFormat;
  decoder: DecoderSettings;
  /** Ends the survey without a result. */
  signal: AbortSignal;
}

/** Processes at a time. */
const PARALLEL = 2;

/**
 * Surveys each file of a playlist in a process of its own, until one cannot be copied. Never throws: what cannot be surveyed
 * must be encoded.
 */
export async function surveyPlaylist({ items, format, decoder, signal }: SurveyOptions): Promise<Survey> {
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  setMaxListeners(0, ended);
  const waiting = [...new Map(items.map(item => [item.file_id, item])).values()];
  const found: PictureFacts[] = [];

  /** Returns why the pictures must be encoded, or null: no reason was found here. */
  async function surveyWaiting(): Promise<string | null> {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      const result = await surveyItem(item, format, decoder, ended);
      if (ended.aborted) return null;
      if (typeof result === 'string') {
        failed.abort();
        return `Item ${items.indexOf(item) + 1}: ${result}`;
      }
      found.push(result);
    }
    return null;
  }

  const reasons = await Promise.all(Array.from({ length: PARALLEL }, surveyWaiting));
  const reason = reasons.find(each => each !== null);
  if (reason !== undefined) return { copied: null, reason };
  if (signal.aborted) return { copied: null, reason: 'The survey did not end in time' };
  const copied = commonPictures(found);
  return { copied, reason: copied ? null : 'The items have unlike decoder configurations' };
}

/** Returns the facts of a file whose pictures can be copied, or why they cannot be. */
async function surveyItem(
  item: PlaylistItem,
  format: StreamFormat,
  settings: DecoderSettings,
  signal: AbortSignal,
): Promise<PictureFacts | string> {
  try {
    const url = await item.url();
    if (signal.aborted) return 'The survey has ended';
    const { width, height, fps } = format;
    const job = { url, format: { width, height, fps }, net: settings.net, task: { type: 'survey' } } as const;
    const process = startDecoder(job, settings);
    signal.addEventListener('abort', () => void process.stop(), { once: true });
    await process.closed;
    const facts = process.facts();
    return facts ? (copyProblem(facts, format) ?? facts) : (process.failure()?.message ?? 'No facts');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
