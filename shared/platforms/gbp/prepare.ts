import { SECOND } from '../../time/instant.ts';
import { parseInZone } from '../../time/zone.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { KB } from '../kit/sizes.ts';
import { problemOfLocation } from './locations.ts';
import { timesOf } from './resource.ts';
import { rules } from './rules.ts';
import { callerOf, locationOf, type Context, type State } from './state.ts';

/** Reserved for storing the result. */
const RESERVE_MS = 30 * SECOND;
const MIN_IMAGE_BYTES = 10 * KB;
/** The time zone whose days end last. */
const LAST_ZONE = '-12:00';

/** Checks what Google would not say clearly, and stores the file where Google can fetch it. */
export async function prepare(context: Context, state: State): Promise<StepResult<State>> {
  await assertVisible(context);
  assertNotOver(context);
  return { type: 'next', state: { ...state, media_url: await mediaUrl(context) } };
}

/** A location that was not in good standing when it was listed may be so by now. */
async function assertVisible(context: Context): Promise<void> {
  const { id, name, attributes } = locationOf(context);
  if (attributes['unconfirmed'] === undefined) return;
  const problem = await problemOfLocation(callerOf(context), id);
  if (problem === null) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: `Google shows no posts on ${name} (${problem}): verify or restore the location at https://business.google.com/locations, or choose another one`,
  });
}

/** Google does not say in which time zone a location is. */
function assertNotOver({ job, now }: Context): void {
  const end = timesOf(job)?.end;
  if (end === undefined || (parseInZone(end, LAST_ZONE) ?? 0) >= now()) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: `The event or offer is over since ${end}: set gbp_event_end_date to a later day`,
  });
}

async function mediaUrl({ job, files, remainingMs }: Context): Promise<string | null> {
  const [url] = job.media_urls;
  if (url === undefined) return null;
  const file = await files.open(url, Math.max(SECOND, remainingMs() - RESERVE_MS));
  try {
    return await (job.post_type === 'video' ? file.publicUrl() : pictureUrl(file));
  } finally {
    await file.close();
  }
}

async function pictureUrl(file: UserFile): Promise<string> {
  if (rules.pictures === null) throw new Error('Google accepts pictures');
  const { bytes, publicUrl } = await file.fitted(rules.pictures);
  if (bytes.byteLength >= MIN_IMAGE_BYTES) return publicUrl();
  throw new PlatformError({
    kind: 'rejected',
    code: 'MEDIA_REJECTED',
    message: `The image has ${bytes.byteLength} bytes as it would be sent; Google Business accepts images from ${MIN_IMAGE_BYTES} bytes on`,
  });
}
