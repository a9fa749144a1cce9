import type { Context, Hono } from 'hono';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { guarded, type Caller } from '../../families/meta/sandbox/access.ts';
import { fetchLikeMeta } from '../../families/meta/sandbox/fetch-media.ts';
import { fileOf, paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError, invalidParameter } from '../../families/meta/sandbox/responses.ts';
import { GB, MB } from '../../kit/sizes.ts';
import { isListed, requirePage } from './posts.ts';
import { metaTime, newId, type FacebookState, type FacebookVideo } from './state.ts';
import { settle } from './video-status.ts';

const MAX_BYTES = 2 * GB;
const MAX_TITLE = 255;

type Params = Readonly<Record<string, string>>;

/** Videos of a Page: from a URL, or in parts. */
export function addVideos(api: Hono, state: FacebookState): void {
  const publishing = { scopes: ['pages_manage_posts'] };
  for (const host of ['graph.facebook.com', 'graph-video.facebook.com']) {
    api.post(
      `/${host}/:page/videos`,
      guarded(state, publishing, (c, caller) => postVideo(c, state, caller)),
    );
  }
  api.get(
    '/graph.facebook.com/:page/videos',
    guarded(state, { scopes: ['pages_read_engagement'] }, (c, caller) => listVideos(c, state, caller)),
  );
}

async function postVideo(c: Context, state: FacebookState, caller: Caller): Promise<Response> {
  const page = requirePage(c, caller);
  const params = await paramsOf(c);
  const ways = ['file_url', 'upload_phase', 'fbuploader_video_file_chunk'].filter(name => name in params);
  if (ways.length !== 1) return invalidParameter('Give exactly one of file_url, upload_phase and a handle');
  switch (params['upload_phase']) {
    case undefined:
      return publishUrl(c, state, page, params);
    case 'start':
      return start(c, state, page, params);
    case 'transfer':
      return transfer(c, state, params);
    case 'finish':
      return finish(c, state, params);
    case 'cancel':
      return cancel(c, state, params);
    default:
      return invalidParameter('Param upload_phase must be one of {start, transfer, finish, cancel}');
  }
}

async function publishUrl(c: Context, state: FacebookState, page: string, params: Params): Promise<Response> {
  const fetched = await fetchLikeMeta(state.host, params['file_url'] ?? '');
  if (fetched.type === 'failed')
    return graphError({ code: 389, message: '(#389) Unable to fetch video file from URL.' });
  checkVideo(state, fetched.file);
  const video = newVideo(state, page, 'video');
  finishVideo(state, { ...video, file: { ...fetched.file }, url: params['file_url'] ?? null }, params);
  return c.json({ id: video.id });
}

export function newVideo(state: FacebookState, page: string, kind: FacebookVideo['kind']): FacebookVideo {
  return {
    id: newId(state),
    page_id: page,
    kind,
    session: null,
    total: 0,
    received: 0,
    file: null,
    url: null,
    title: null,
    description: '',
    finished_at: null,
    problem: null,
    post_id: null,
    created_at: state.host.now(),
    fields: {},
  };
}

/** Mode `max_seconds`: a limit of the duration, which Meta states differently in several places. */
function checkVideo({ modes }: FacebookState, { type, size, duration = 1 }: StoredMedia): void {
  const limit = Number(modes.get('max_seconds') ?? Infinity);
  const checks: [boolean, number, string][] = [
    [size >= 1024, 1363022, 'The video file is too small.'],
    [size <= MAX_BYTES, 1363023, 'The video file is too large.'],
    [type.startsWith('video/'), 1363024, 'The video file format is not supported.'],
    [duration >= 1, 1363025, 'The video is too short.'],
    [duration <= limit, 1363026, 'The video is too long.'],
  ];
  const broken = checks.find(([holds]) => !holds);
  if (broken)
    graphError({
      code: 100,
      subcode: broken[1],
      message: '(#100) Invalid parameter',
      user_message: broken[2],
    });
}

/** Accepts the publishing of a video. */
export function finishVideo(state: FacebookState, video: FacebookVideo, params: Params): void {
  const { title = null, description = '' } = params;
  if (Array.from(title ?? '').length > MAX_TITLE) invalidParameter('Param title is too long');
  const finished_at = state.host.now();
  state.videos.set(video.id, { ...video, title, description, finished_at, fields: { ...params } });
  settle(state);
}

function start(c: Context, state: FacebookState, page: string, params: Params): Response {
  const total = Number(params['file_size']);
  if (!Number.isInteger(total) || total <= 0) return invalidParameter('Param file_size is required');
  if (total > MAX_BYTES) return graphError({ code: 1363023, message: 'The video file is too large.' });
  const video = { ...newVideo(state, page, 'video'), session: newId(state), total };
  state.videos.set(video.id, video);
  state.uploads.set(video.id, state.host.openUpload());
  return c.json({ upload_session_id: video.session, video_id: video.id, ...wanted(state, video) });
}

/** The next part. Mode `part_bytes`: its size, 1 MB by default. */
const wanted = ({ modes }: FacebookState, { received, total }: FacebookVideo) => ({
  start_offset: String(received),
  end_offset: String(Math.min(total, received + Number(modes.get('part_bytes') ?? MB))),
});

function requireSession(state: FacebookState, params: Params): FacebookVideo {
  const video = state.videos.values().find(({ session }) => session === params['upload_session_id']);
  return video ?? graphError({ code: 100, subcode: 1363033, message: 'The upload session is gone.' });
}

async function transfer(c: Context, state: FacebookState, params: Params): Promise<Response> {
  const video = requireSession(state, params);
  const bytes = await fileOf(c, 'video_file_chunk');
  if (!bytes) return invalidParameter('Param video_file_chunk is required');
  if (Number(params['start_offset']) !== video.received)
    return graphError({
      code: 100,
      subcode: 1363037,
      message: 'The start offset is wrong.',
      data: wanted(state, video),
    });
  const next = { ...video, received: video.received + bytes.byteLength };
  if (next.received > video.total)
    return graphError({ code: 100, subcode: 1363045, message: 'The size does not match.' });
  state.videos.set(video.id, next);
  state.uploads.get(video.id)?.write(bytes, video.received);
  return c.json(wanted(state, next));
}

async function finish(c: Context, state: FacebookState, params: Params): Promise<Response> {
  const video = requireSession(state, params);
  if (video.received < video.total)
    return graphError({ code: 6001, message: 'There was a problem uploading your video file.' });
  const upload = state.uploads.get(video.id);
  const file = video.file ?? (upload && { ...(await upload.store()) });
  if (!file) return graphError({ code: 6001, message: 'There was a problem uploading your video file.' });
  state.uploads.delete(video.id);
  state.videos.set(video.id, { ...video, file });
  checkVideo(state, file);
  finishVideo(state, { ...video, file }, params);
  return c.json({ success: true });
}

function cancel(c: Context, state: FacebookState, params: Params): Response {
  const video = requireSession(state, params);
  state.videos.delete(video.id);
  state.uploads.get(video.id)?.discard();
  state.uploads.delete(video.id);
  return c.json({ success: true });
}

/** Mode `no_video_list`: the reference calls reading this edge impossible. */
function listVideos(c: Context, state: FacebookState, caller: Caller): Response {
  const page = requirePage(c, caller);
  if (state.modes.get('no_video_list') === true)
    return invalidParameter('Tried accessing nonexisting field (videos)');
  const data = state.videos
    .values()
    .filter(
      ({ page_id, finished_at }) => page_id === page && finished_at !== null && isListed(state, finished_at),
    )
    .toReversed()
    .map(({ id, description, created_at }) => ({ id, description, created_time: metaTime(created_at) }));
  return c.json({ data });
}
