import type { Context, Hono } from 'hono';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { authenticate, guarded, type Caller } from '../../families/meta/sandbox/access.ts';
import { fetchLikeMeta } from '../../families/meta/sandbox/fetch-media.ts';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError, invalidParameter, unknownObject } from '../../families/meta/sandbox/responses.ts';
import { requirePage } from './posts.ts';
import type { FacebookState, FacebookVideo } from './state.ts';
import { reelProblem } from './video-status.ts';
import { finishVideo, newVideo } from './videos.ts';

const DAY_MS = 24 * 3600_000;
const DAILY_REELS = 30;

/** Reels: start, upload to rupload.facebook.com, finish. */
export function addReels(app: Hono, api: Hono, state: FacebookState): void {
  api.post(
    '/graph.facebook.com/:page/video_reels',
    guarded(state, { scopes: ['pages_manage_posts'] }, (c, caller) => postReel(c, state, caller)),
  );
  api.get(
    '/graph.facebook.com/:page/video_reels',
    guarded(state, { scopes: ['pages_read_engagement'] }, (c, caller) => {
      const page = requirePage(c, caller);
      const reels = state.videos.values().filter(({ kind, page_id }) => kind === 'reel' && page_id === page);
      return c.json({ data: reels.filter(({ post_id }) => post_id !== null).map(({ id }) => ({ id })) });
    }),
  );
  app.post('/rupload.facebook.com/video-upload/:version/:id', c => upload(c, state));
}

async function postReel(c: Context, state: FacebookState, caller: Caller): Promise<Response> {
  const page = requirePage(c, caller);
  const params = await paramsOf(c);
  if (params['upload_phase'] === 'start') return start(c, state, page);
  if (params['upload_phase'] !== 'finish')
    return invalidParameter('Param upload_phase must be one of {start, finish}');
  return finish(c, state, params);
}

function start(c: Context, state: FacebookState, page: string): Response {
  const since = state.host.now() - DAY_MS;
  const today = state.videos
    .values()
    .filter(
      ({ kind, page_id, finished_at }) => kind === 'reel' && page_id === page && (finished_at ?? 0) > since,
    );
  if (today.length >= DAILY_REELS)
    return graphError({ status: 403, code: 4, message: '(#4) Application request limit reached' });
  const reel = newVideo(state, page, 'reel');
  state.videos.set(reel.id, reel);
  return c.json({
    video_id: reel.id,
    upload_url: `https://rupload.facebook.com/video-upload/v26.0/${reel.id}`,
  });
}

function finish(c: Context, state: FacebookState, params: Readonly<Record<string, string>>): Response {
  const reel = state.videos.get(params['video_id'] ?? '');
  if (reel?.kind !== 'reel') return unknownObject(params['video_id'] ?? '', 'post');
  if (!['DRAFT', 'SCHEDULED', 'PUBLISHED'].includes(params['video_state'] ?? ''))
    return invalidParameter('Param video_state must be one of {DRAFT, SCHEDULED, PUBLISHED}');
  if (reel.file === null)
    return graphError({
      code: 6000,
      message: 'There was a problem uploading your video. The upload is missing.',
    });
  if (reel.finished_at === null) finishVideo(state, reel, params);
  return c.json({ success: true });
}

/** The upload host has headers instead of parameters, and errors of its own. */
function uploadError(type: string, message: string, retriable = false): Response {
  return Response.json({ debug_info: { retriable, type, message } }, { status: 400 });
}

async function upload(c: Context, state: FacebookState): Promise<Response> {
  const token = /^OAuth (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  if (token === undefined) return uploadError('NotAuthorizedError', 'The authorization header must be OAuth');
  authenticate(state, token);
  const reel = state.videos.get(c.req.param('id') ?? '');
  if (!reel) return uploadError('SessionNotFoundError', 'Unknown upload session');
  if (Object.keys(c.req.query()).length > 0)
    return uploadError('ProcessingFailedError', 'Header Offset not convertable to unsigned long');
  const body = new Uint8Array(await c.req.arrayBuffer());
  const fileUrl = c.req.header('file_url');
  return fileUrl === undefined ? storeBytes(c, state, reel, body) : fetchFile(c, state, reel, fileUrl, body);
}

async function fetchFile(
  c: Context,
  state: FacebookState,
  reel: FacebookVideo,
  url: string,
  body: Uint8Array,
): Promise<Response> {
  if (body.byteLength > 0 || c.req.header('offset') !== undefined)
    return uploadError('ProcessingFailedError', 'Header Offset not convertable to unsigned long');
  const fetched = await fetchLikeMeta(state.host, url);
  if (fetched.type === 'failed') return uploadError('ProcessingFailedError', 'The file could not be fetched');
  store(state, { ...reel, url }, fetched.file);
  return c.json({ success: true });
}

async function storeBytes(
  c: Context,
  state: FacebookState,
  reel: FacebookVideo,
  body: Uint8Array,
): Promise<Response> {
  const [offset, size] = [Number(c.req.header('offset')), Number(c.req.header('file_size'))];
  if (!Number.isInteger(offset) || !Number.isInteger(size))
    return uploadError('ProcessingFailedError', 'Header Offset not convertable to unsigned long');
  if (offset !== 0) return uploadError('OffsetInvalidError', 'The offset must be 0', true);
  if (body.byteLength !== size)
    return uploadError('PartialRequestError', 'The length of the body does not match', true);
  store(state, reel, await state.host.storeMedia(body));
  return c.json({ success: true });
}

function store(state: FacebookState, reel: FacebookVideo, file: StoredMedia): void {
  state.videos.set(reel.id, { ...reel, file: { ...file }, problem: reelProblem(file) });
}
