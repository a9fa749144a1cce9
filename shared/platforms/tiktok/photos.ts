import { MINUTE, SECOND } from '../../time/instant.ts';
import type { StepResult } from '../contract/publisher.ts';
import { rules } from './rules.ts';
import type { Context, State } from './state.ts';

/** Time that one photo needs: download, conversion and storing it in the bucket. Less than the rules' `request_s`. */
const PHOTO_MS = MINUTE;
const RESERVE_MS = 15 * SECOND;

/** Converts the photos where needed and stores them where TikTok fetches them: in the operator's verified domain. */
export async function preparePhotos(context: Context, state: State): Promise<StepResult<State>> {
  const photos = [...state.photos];
  for (const url of context.job.media_urls.slice(photos.length)) {
    const isProgress = photos.length > state.photos.length;
    if (isProgress && context.remainingMs() < PHOTO_MS + RESERVE_MS) {
      return { type: 'again', state: { ...state, photos } };
    }
    photos.push(await publicUrlOf(context, url));
  }
  return { type: 'next', state: { ...state, photos } };
}

async function publicUrlOf({ files }: Context, url: string): Promise<string> {
  const file = await files.open(url, PHOTO_MS);
  try {
    if (rules.pictures === null) throw new Error('TikTok accepts pictures');
    return await (await file.fitted(rules.pictures)).publicUrl();
  } finally {
    await file.close();
  }
}
