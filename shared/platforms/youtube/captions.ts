import { failure, type FailureCode } from '../../model/failure.ts';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { SECOND } from '../../time/instant.ts';
import { defineFollowUp, type FollowUp } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { MB } from '../kit/sizes.ts';
import { YoutubeError } from './errors.ts';
import { insertCaption, listCaptions, type Caption, type OnVideo } from './follow-up-calls.ts';
import { optionsOf } from './options.ts';
import { callerOf, type Context, type State } from './state.ts';
import { onVideo } from './young.ts';

const LIMITS = { maxBytes: 10 * MB, timeoutMs: 60 * SECOND };
/** A line of SRT or WebVTT with the times of a caption. */
const TIME_CODES = /\d{2}:\d{2}[,.]\d{3}\s*-->\s*(?:\d{2,}:)?\d{2}:\d{2}[,.]\d{3}/;

export const captions: FollowUp<State, GoogleCredentials> = defineFollowUp<
  JsonObject,
  State,
  GoogleCredentials
>({
  name: 'captions',
  state: JsonObjectSchema,
  initial: () => ({}),
  run: async (context, _state, post) => {
    const text = await context.files.text('youtube_caption_url', LIMITS);
    // YouTube accepts captions without times and never shows them.
    if (text === null || !TIME_CODES.test(text)) {
      return rejected('MEDIA_REJECTED', 'youtube_caption_url: The file has no time codes. Use SRT or WebVTT');
    }
    const caption = await upload(context, onVideo(context, post), text);
    if (caption?.snippet.status !== 'failed') return { type: 'done' };
    const reason = caption.snippet.failureReason ?? 'no reason given';
    return rejected('MEDIA_REJECTED', `YouTube could not use the captions (${reason})`);
  },
  reconcile: async (context, _state, post) => {
    const uploaded = await listCaptions(callerOf(context), onVideo(context, post));
    const { youtube_caption_language: language } = optionsOf(context.job);
    // YouTube adds captions of its own, which it made by recognising speech.
    const isOurs = ({ snippet }: Caption) =>
      snippet.trackKind === 'standard' && snippet.language?.toLowerCase() === language.toLowerCase();
    return { type: uploaded.some(isOurs) ? 'done' : 'absent' };
  },
});

const rejected = (code: FailureCode, message: string) =>
  ({ type: 'rejected', failure: failure(code, message) }) as const;

/** Uploads the captions without a name, or named after their language where YouTube wants one. Null: they exist. */
async function upload(context: Context, on: OnVideo, text: string): Promise<Caption | null> {
  const { youtube_caption_language: language } = optionsOf(context.job);
  const insert = (name: string) => insertCaption(callerOf(context), on, { language, name, text });
  try {
    return await insert('').catch((error: unknown) => {
      if (error instanceof YoutubeError && error.has('invalidMetadata')) return insert(nameOf(language));
      throw error;
    });
  } catch (error) {
    if (error instanceof YoutubeError && error.has('captionExists')) return null;
    throw error;
  }
}

const nameOf = (language: string) =>
  new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
