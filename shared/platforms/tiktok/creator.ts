import { PlatformError } from '../contract/error.ts';
import type { StepResult } from '../contract/publisher.ts';
import { creatorInfo } from './client.ts';
import { waitAfterFailure } from './fail-reasons.ts';
import { privacyLevel } from './rules.ts';
import { isGranted } from './scopes.ts';
import { callerOf, isDraft, type Context, type State } from './state.ts';

/** Asks what the creator may post now, as TikTok demands right before each post. Drafts have no settings to ask for. */
export async function checkCreator(context: Context, state: State): Promise<StepResult<State>> {
  waitAfterFailure(context, state);
  const { job } = context;
  assertGranted(context, isDraft(job) ? 'video.upload' : 'video.publish');
  if (isDraft(job)) return { type: 'next', state };
  const info = await creatorInfo(callerOf(context));
  assertOffered(privacyLevel(job), info.privacy_level_options);
  const { comment_disabled, duet_disabled, stitch_disabled } = info;
  const creator = {
    username: info.creator_username,
    comment_disabled,
    duet_disabled,
    stitch_disabled,
    max_seconds: info.max_video_post_duration_sec,
  };
  return { type: 'next', state: { ...state, creator } };
}

function assertGranted({ job }: Context, scope: string): void {
  if (isGranted(job.account.attributes, scope)) return;
  const message = `The account was connected without the permission ${scope}: connect it again and allow it`;
  throw new PlatformError({ kind: 'rejected', code: 'PERMISSION_MISSING', message });
}

/** A level is never replaced by another one: that would show the post to other people. */
function assertOffered(level: string | null, offered: readonly string[]): void {
  if (level !== null && offered.includes(level)) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: `tiktok_privacy_level ${level ?? ''} is not offered to this account: choose one of ${offered.join(', ')}`,
  });
}
