import { MINUTE } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { StepResult } from '../contract/publisher.ts';
import { BANNED, TOO_MANY_POSTS, type Row } from './errors.ts';
import { FRESH, type Context, type State } from './state.ts';

/* Processes that failed. None of them made a post, so another one may follow. */

/** `restarts`: how many new processes may help; 0 for a final failure. */
interface FailRow extends Row {
  restarts: number;
}

const media = (advice: string): FailRow => ({
  kind: 'rejected',
  code: 'MEDIA_REJECTED',
  advice,
  restarts: 0,
});
const content = (advice: string): FailRow => ({
  kind: 'rejected',
  code: 'CONTENT_REJECTED',
  advice,
  restarts: 0,
});
const PULL_FAILED: FailRow = {
  kind: 'transient',
  code: 'MEDIA_REJECTED',
  waitMs: MINUTE,
  restarts: 2,
  advice: 'TikTok could not download the file.',
};
const SPAM = content('TikTok takes the post for spam: change its text.');

const ROWS: ReadonlyMap<string, FailRow> = new Map(
  Object.entries<FailRow>({
    file_format_check_failed: media('Videos must be MP4, MOV or WebM; photos JPEG or WebP.'),
    duration_check_failed: media('The video is shorter or longer than TikTok accepts from this account.'),
    frame_rate_check_failed: media('Videos must have 23 to 60 frames per second.'),
    picture_size_check_failed: media(
      'Videos must have 360 to 4096 pixels on each side, photos at most 1080 x 1920.',
    ),
    internal: {
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      waitMs: MINUTE,
      restarts: 3,
      advice: 'TikTok failed to process the post.',
    },
    video_pull_failed: PULL_FAILED,
    photo_pull_failed: PULL_FAILED,
    publish_cancelled: content('The post was cancelled at TikTok.'),
    auth_removed: {
      kind: 'token_expired',
      code: 'TOKEN_EXPIRED',
      restarts: 0,
      advice: 'The owner of the account removed the app.',
    },
    spam_risk_too_many_posts: { ...TOO_MANY_POSTS, restarts: 4 },
    spam_risk_user_banned_from_posting: { ...BANNED, restarts: 0 },
    spam_risk_text: SPAM,
    spam_risk: SPAM,
  }),
);

const UNKNOWN = content('TikTok names no other reason.');

const rowOf = (reason: string) => ROWS.get(reason) ?? UNKNOWN;

function failureOf(reason: string, kind: Row['kind'], retryAfterMs?: number): PlatformError {
  const { code, advice, keepsAccount } = rowOf(reason);
  const message = `TikTok did not publish the post (${reason || 'no reason'}). ${advice ?? ''}`.trim();
  return new PlatformError({ kind, code, message, retryAfterMs, keepsAccount });
}

/** Returns to the first step where a new process may help. Throws PlatformError otherwise. */
export function afterFailure({ now }: Context, state: State, reason: string): StepResult<State> {
  const { kind, restarts } = rowOf(reason);
  if (restarts === 0) throw failureOf(reason, kind);
  if (state.restarts >= restarts) throw failureOf(reason, 'rejected');
  return backTo({ ...restarted(state), failure: { reason, at: now() } });
}

/** Returns the state in which the next process begins. */
export const restarted = ({ restarts, refused_chunks }: State): State => ({
  ...FRESH,
  restarts: restarts + 1,
  refused_chunks,
});

export const backTo = (state: State): StepResult<State> => ({ type: 'back', step: FIRST_STEP, state });

export const FIRST_STEP = 'creator';

/** Throws PlatformError until it is time for the next process. */
export function waitAfterFailure({ now }: Context, { failure }: State): void {
  if (!failure) return;
  const { kind, waitMs = 0 } = rowOf(failure.reason);
  const leftMs = failure.at + waitMs - now();
  if (leftMs > 0) throw failureOf(failure.reason, kind, leftMs);
}
