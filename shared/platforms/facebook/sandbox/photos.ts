import type { Context, Hono } from 'hono';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { guarded, type Caller } from '../../families/meta/sandbox/access.ts';
import { fetchLikeMeta } from '../../families/meta/sandbox/fetch-media.ts';
import { fileOf, paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError } from '../../families/meta/sandbox/responses.ts';
import { MB } from '../../kit/sizes.ts';
import { addPost, refuseDuplicate, requirePage, show } from './posts.ts';
import { newId, type FacebookPhoto, type FacebookState } from './state.ts';

const MAX_BYTES = 4 * MB;
const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/bmp', 'image/tiff', 'image/webp'];

/** Photos of a Page, published or not. */
export function addPhotos(api: Hono, state: FacebookState): void {
  api.post(
    '/graph.facebook.com/:page/photos',
    guarded(state, { scopes: ['pages_manage_posts'] }, (c, caller) => createPhoto(c, state, caller)),
  );
}

async function createPhoto(c: Context, state: FacebookState, caller: Caller): Promise<Response> {
  const page = requirePage(c, caller);
  const params = await paramsOf(c);
  const file = await photoFile(c, state, params['url']);
  const isPublished = params['published'] !== 'false';
  const caption = params['caption'] ?? params['message'] ?? '';
  if (isPublished) refuseDuplicate(state, page, caption);
  const photo: FacebookPhoto = {
    id: newId(state),
    page_id: page,
    file: { ...file },
    url: params['url'] ?? null,
    alt: params['alt_text_custom'] ?? null,
    published: isPublished,
    created_at: state.host.now(),
  };
  state.photos.set(photo.id, photo);
  if (!isPublished) return c.json({ id: photo.id });
  const post = addPost(state, { page_id: page, message: caption, link: null, media_ids: [photo.id] });
  show(state, post, [photo], params);
  return c.json({ id: photo.id, post_id: post.id });
}

async function photoFile(c: Context, state: FacebookState, url: string | undefined): Promise<StoredMedia> {
  const sent = await fileOf(c, 'source');
  if (url === undefined && sent === null)
    return graphError({ code: 324, message: '(#324) Requires upload file' });
  const file = sent === null ? await fetchPhoto(state, url ?? '') : await state.host.storeMedia(sent);
  if (file.size <= MAX_BYTES && TYPES.includes(file.type)) return file;
  return graphError({
    code: 100,
    subcode: 1366046,
    message: '(#100) Invalid parameter',
    title: "Can't Read Files",
    user_message:
      "Your photos couldn't be uploaded. Photos should be less than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.",
  });
}

async function fetchPhoto({ host }: FacebookState, url: string): Promise<StoredMedia> {
  const fetched = await fetchLikeMeta(host, url);
  if (fetched.type === 'fetched') return fetched.file;
  return graphError({
    code: 100,
    subcode: 2069019,
    message: '(#100) url should represent a valid URL of an image that can be fetched',
    user_message: 'The photo could not be fetched from its URL.',
  });
}
