import type { SandboxMedia, StoredMedia } from '../../contract/sandbox.ts';
import { fetchLikeMeta } from '../../families/meta/sandbox/fetch-media.ts';
import { MB, MINUTES } from '../../kit/sizes.ts';
import { refuse } from './errors.ts';
import type { Request } from './rules.ts';
import type { Account, InstagramState } from './state.ts';

const IMAGE = { maxBytes: 8 * MB, minAspect: 0.8, maxAspect: 1.91 };
/** Rounding of the ratio. */
const TOLERANCE = 0.01;
const MAX_WIDTH = 1920;
const FRAME_RATES = { min: 22.9, max: 60.5 };

/** Fetches a file by its URL. Ends the request with the error of the real server where that fails. */
export async function fetchFile(state: InstagramState, account: Account, url: string): Promise<StoredMedia> {
  if (account.modes.slow_fetch === true) return refuse(2207003);
  const fetched = await fetchLikeMeta(state.host, url);
  return fetched.type === 'fetched' ? fetched.file : refuse(2207052);
}

/** Ends the request unless the file is an image that Instagram accepts. */
export function assertImage(file: SandboxMedia, { modes }: Account, isStory: boolean): void {
  const types = ['image/jpeg', ...(modes.takes_png === true ? ['image/png'] : [])];
  if (!types.includes(file.type)) refuse(2207005);
  if ((file.size ?? 0) > IMAGE.maxBytes) refuse(2207004);
  const aspect = file.width !== undefined && file.height !== undefined ? file.width / file.height : 1;
  const fits = IMAGE.minAspect - TOLERANCE <= aspect && aspect <= IMAGE.maxAspect + TOLERANCE;
  if (!isStory && !fits) refuse(2207009);
}

/** Returns the subcode with which processing a video fails; null for a video that Instagram accepts. */
export function videoError(file: SandboxMedia, { kind, params }: Request): string | null {
  const { type, size = 0, width, height, duration, video_codec, audio_codec, frame_rate } = file;
  if (type !== 'video/mp4' && type !== 'video/quicktime') return '2207026';
  if (video_codec !== undefined && !['avc', 'hevc'].includes(video_codec)) return '2207026';
  if (audio_codec !== undefined && audio_codec !== 'aac') return '2207026';
  const isStory = kind === 'STORIES';
  const limits = { bytes: (isStory ? 100 : 300) * MB, seconds: isStory ? 60 : 15 * MINUTES };
  if (size > limits.bytes) return '2207085';
  // Facts that cannot be read from the file are not checked.
  if (duration !== undefined && (duration < 2.9 || duration > limits.seconds + 1)) return '2207085';
  if (width !== undefined && width > MAX_WIDTH) return '2207085';
  const aspect = width !== undefined && height !== undefined ? width / height : 1;
  if (aspect < (isStory ? 0.1 : 0.01) || aspect > 10) return '2207085';
  if (frame_rate !== undefined && (frame_rate < FRAME_RATES.min || frame_rate > FRAME_RATES.max))
    return '2207085';
  const isOutside = duration !== undefined && Number(params['thumb_offset'] ?? 0) > duration * 1000;
  return isOutside ? '2207057' : null;
}
