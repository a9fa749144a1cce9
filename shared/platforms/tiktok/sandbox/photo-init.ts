import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { authorize, INIT, invalid, jsonBody, missingScope, ok, refuse, type Grant } from './access.ts';
import { assertMayPost } from './creator.ts';
import { checkPosting, PhotoInfoSchema } from './posting.ts';
import { accept, assertFewDrafts, newProcess, newPublishId } from './processes.ts';
import { checkOwnership, pull } from './pull.ts';
import { settingsOf, type TikTokState } from './state.ts';

const MAX_PHOTO_BYTES = 20_000_000;
const MAX_SHORT_SIDE = 1080;
const MAX_LONG_SIDE = 1920;

const BodySchema = v.strictObject({
  post_info: PhotoInfoSchema,
  source_info: v.strictObject({
    source: v.literal('PULL_FROM_URL'),
    photo_cover_index: v.pipe(v.number(), v.integer(), v.minValue(0)),
    photo_images: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(35)),
  }),
  post_mode: v.picklist(['DIRECT_POST', 'MEDIA_UPLOAD']),
  media_type: v.literal('PHOTO'),
});
type Body = v.InferOutput<typeof BodySchema>;

/** Publishing photos, or sending them to the inbox: TikTok fetches them. */
export function addPhotoInit(api: Hono, state: TikTokState): void {
  api.post('/v2/post/publish/content/init/', async c => {
    const grant = authorize(c, state, INIT, 'video.publish', 'video.upload');
    const body = await jsonBody(c, BodySchema);
    const draft = body.post_mode === 'MEDIA_UPLOAD';
    if (!grant.scopes.includes(draft ? 'video.upload' : 'video.publish')) return missingScope();
    if (draft) checkDraft(state, grant, body);
    else {
      assertMayPost(state, grant.account, 403);
      checkPosting(state, grant.account, body.post_info);
    }
    return begin(c, state, grant, body, draft);
  });
}

function checkDraft(state: TikTokState, { account }: Grant, { post_info }: Body): void {
  if (account.old_app) refuse(400, 'app_version_check_failed', 'The version of the app is older than 31.8');
  if (Object.keys(post_info).length === 0) invalid('The request post info is empty or incorrect');
  assertFewDrafts(state, account);
}

async function begin(
  c: Context,
  state: TikTokState,
  { account }: Grant,
  body: Body,
  draft: boolean,
): Promise<Response> {
  const { photo_images: urls, photo_cover_index: cover } = body.source_info;
  if (cover >= urls.length) return invalid('The photo cover index is invalid');
  for (const url of urls) checkOwnership(state, url);
  const publish_id = newPublishId('photo', draft);
  const process = newProcess(state, account, { publish_id, kind: 'photo', draft, body });
  const files = await Promise.all(urls.map(url => pull(state, url, 2 * MAX_PHOTO_BYTES)));
  const problems = files.map(file => (file ? photoProblem(state, file) : 'photo_pull_failed'));
  const problem = problems.find(each => each !== null) ?? null;
  accept(
    state,
    process,
    files.filter(file => file !== null),
    problem,
  );
  return ok(c, { publish_id });
}

function photoProblem(state: TikTokState, { type, size, width = 0, height = 0 }: StoredMedia): string | null {
  if (type !== 'image/jpeg' && type !== 'image/webp') return 'file_format_check_failed';
  const isNarrow = !settingsOf(state).narrow_photos || width <= MAX_SHORT_SIDE;
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const fits = short <= MAX_SHORT_SIDE && long <= MAX_LONG_SIDE && size <= MAX_PHOTO_BYTES;
  return fits && isNarrow ? null : 'picture_size_check_failed';
}
