import { SECOND, HOUR } from '../../time/instant.ts';
import type { StepResult } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { deleteObject, stagePhoto, type Photo } from './client.ts';
import { PICTURES } from './rules.ts';
import { pageOf, type Context, type State } from './state.ts';

/** Opening, converting and storing one photo. */
const OPEN_MS = 40 * SECOND;
/** Facebook deletes unpublished photos after about a day. */
const STAGED_LIFE_MS = 22 * HOUR;

/** Makes the photos available to Facebook, one for each checkpoint. */
export async function hostPhotos(context: Context, state: State): Promise<StepResult<State>> {
  const { job, files } = context;
  const { id } = pageOf(context, state);
  const next = job.media_urls[state.photos.length];
  if (next === undefined) return { type: 'next', state };
  const file = await files.open(next, OPEN_MS);
  try {
    const picture = await file.fitted(PICTURES);
    const photos = [...state.photos, await picture.publicUrl()];
    return { type: 'again', state: { ...state, page_id: id, photos } };
  } finally {
    await file.close();
  }
}

/** Uploads the photos of a post with several, unpublished and one for each checkpoint. */
export async function stagePhotos(context: Context, state: State): Promise<StepResult<State>> {
  const page = pageOf(context, state);
  const photo = photoAt(context, state, state.staged.length);
  if (photo === null) return { type: 'next', state };
  const id = await stagePhoto(page, photo);
  const staged_at = state.staged_at ?? context.now();
  return { type: 'again', state: { ...state, staged: [...state.staged, id], staged_at } };
}

/** Returns the photo at `index` of a post; null beyond the last. */
export function photoAt({ job }: Context, { photos }: State, index: number): Photo | null {
  const url = photos[index];
  return url === undefined ? null : { url, altText: altTextOf(job, index) };
}

/** True while Facebook certainly has the unpublished photos. */
export function areStillStaged({ staged, staged_at }: State, now: number): boolean {
  return staged.length === 0 || (staged_at !== null && now - staged_at < STAGED_LIFE_MS);
}

/** Deletes unpublished photos. One that is gone already is no failure. */
export async function discardPhotos(context: Context, state: State): Promise<void> {
  const page = pageOf(context, state);
  const results = await Promise.allSettled(state.staged.map(id => deleteObject(page, id)));
  const failed = results.find(result => result.status === 'rejected');
  if (failed) throw failed.reason;
}
