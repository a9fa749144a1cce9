import { HTTPException } from 'hono/http-exception';
import { MINUTE, SECOND } from '../../../time/instant.ts';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { invalid, refuse } from './answers.ts';
import { expired, isExpired } from './media.ts';
import type { SnapchatAccount, SnapchatMedia, SnapchatState, StoredPost } from './state.ts';

const MIN_SECONDS = { stories: 5, saved_stories: 5, spotlights: 6 };
const SHORT_SIDE = 540;
const LONG_SIDE = 960;
const POSTING_MS = MINUTE;

export interface ReadyMedia {
  media: SnapchatMedia;
  file: StoredMedia;
}

/** Returns media that a post can be created from. Ends the request where they cannot be used, or not yet. */
export function readyMedia(
  state: SnapchatState,
  profile: SnapchatAccount,
  kind: StoredPost['kind'],
  mediaId: string,
): ReadyMedia {
  const { host } = state;
  const media = state.media.get(mediaId);
  if (media?.profile_id !== profile.id) return invalid("Invalid field 'media_id': unknown media");
  if (isExpired(state, media)) return expired();
  if (media.finalized_at === null) return invalid('The media upload is not complete');
  if (media.broken || !media.file) return invalid('Media could not be decrypted or has the wrong type');
  if (media.posted_at !== null && host.now() - media.posted_at < POSTING_MS) {
    return refuse(400, 'MEDIA_POSTING_ALREADY_IN_PROGRESS', 'The media is already being posted');
  }
  awaitProcessing(state, profile, media, media.finalized_at);
  checkFile(profile, kind, media.file);
  return { media, file: media.file };
}

function awaitProcessing(
  { host }: SnapchatState,
  { processing_calls, processing_answer }: SnapchatAccount,
  media: SnapchatMedia,
  finalizedAt: number,
): void {
  const { seconds, outcome } = host.processing('snapchat');
  const isAsked = media.asked >= processing_calls;
  if (isAsked && host.now() - finalizedAt >= seconds * SECOND) {
    if (outcome === 'error') invalid('Media processing failed: unsupported codec');
    return;
  }
  media.asked += 1;
  const words = 'Media is still being processed';
  if (processing_answer === 'text') {
    throw new HTTPException(400, { res: new Response(words, { status: 400 }) });
  }
  refuse(processing_answer === 'code' ? 400 : 200, 'MEDIA_PROCESSING', words);
}

function checkFile({ max_seconds }: SnapchatAccount, kind: StoredPost['kind'], file: StoredMedia): void {
  const { type, duration = 0, width = 0, height = 0 } = file;
  if (!type.startsWith('video/')) {
    if (kind === 'spotlights') invalid('Unsupported media type: a spotlight must be a video');
    return;
  }
  if (duration < MIN_SECONDS[kind] || duration > max_seconds) {
    invalid(`Video duration must be from ${MIN_SECONDS[kind]} to ${max_seconds} seconds`);
  }
  if (Math.min(width, height) < SHORT_SIDE || Math.max(width, height) < LONG_SIDE) {
    invalid(`Video resolution must be at least ${SHORT_SIDE}x${LONG_SIDE}`);
  }
}
