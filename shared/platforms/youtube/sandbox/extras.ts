import type { Context, Hono } from 'hono';
import { badParameter, end, refuse, videoNotFound } from './errors.ts';
import { guarded, readJson, required, requireSameParts, type Guard, type Request } from './guard.ts';
import { member } from './metadata.ts';
import { instant, randomId, type YoutubeState } from './state.ts';
import { ownVideo, processingOf, showVideo } from './videos.ts';

/** Thumbnails, captions and comments of a video. */
export function addExtras(app: Hono, guard: Guard, root: string): void {
  const { state } = guard;
  const api = `${root}/youtube/v3`;
  app.post(
    `${root}/upload/youtube/v3/thumbnails/set`,
    guarded(guard, 'thumbnail', request => setThumbnail(state, request)),
  );
  app.post(
    `${root}/upload/youtube/v3/captions`,
    guarded(guard, 'caption', request => insertCaption(state, request)),
  );
  app.get(
    `${api}/captions`,
    guarded(guard, 'captions', request => listCaptions(state, request)),
  );
  app.post(
    `${api}/commentThreads`,
    guarded(guard, 'thread', request => insertComment(state, request)),
  );
  app.get(
    `${api}/commentThreads`,
    guarded(guard, 'threads', request => listComments(state, request)),
  );
}

const MAX_PICTURE = 52_428_800;
const PICTURE_TYPES = ['image/jpeg', 'image/png', 'application/octet-stream'];

async function setThumbnail(state: YoutubeState, { c, channel }: Request): Promise<Response> {
  const domain = 'youtube.thumbnail';
  if (c.req.query('uploadType') !== 'media') end(400, 'Invalid Upload Request');
  const type = (c.req.header('content-type') ?? '').split(';')[0] ?? '';
  const bytes = Buffer.from(await c.req.arrayBuffer());
  if (bytes.length === 0)
    refuse(400, 'mediaBodyRequired', 'The request does not include the image content.', { domain });
  if (bytes.length > MAX_PICTURE) refuse(400, 'mediaBodyRequired', 'Media is too large', { domain });
  const video = ownVideo(state, channel, required(c, 'videoId'), 'videoId', domain);
  if (!channel.switches.thumbnails) {
    const message =
      'The authenticated user doesnt have permissions to upload and set custom video thumbnails.';
    refuse(403, 'forbidden', message, { domain, location: 'Authorization', locationType: 'header' });
  }
  if (channel.switches.thumbnails_limited) {
    const message =
      'The channel has uploaded too many thumbnails recently. Please try the request again later.';
    refuse(429, 'uploadRateLimitExceeded', message, { domain });
  }
  const file = await state.host.storeMedia(bytes);
  const matches = type === 'application/octet-stream' || file.type === type;
  if (!PICTURE_TYPES.includes(type) || !matches || !/^image\/(jpeg|png|gif|bmp)$/.test(file.type)) {
    refuse(400, 'invalidImage', 'The provided image content is invalid.', { domain });
  }
  const changed = { ...video, thumbnail: { sha256: file.sha256, type: file.type } };
  state.videos.set(video.id, changed);
  showVideo(state, changed);
  const url = `https://i.ytimg.com/vi/${video.id}/default.jpg`;
  return c.json({
    kind: 'youtube#thumbnailSetResponse',
    etag: 'etag-thumbnail',
    items: [{ default: { url, width: 120, height: 90 } }],
  });
}

const captionError = (status: 400 | 409, reason: string, message: string) =>
  refuse(status, reason, message, { domain: 'youtube.caption' });

async function insertCaption(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  if (c.req.query('uploadType') !== 'multipart') end(400, 'Invalid Upload Request');
  const { json, text } = await relatedParts(c);
  requireSameParts(json, parts);
  const { videoId, language, name } = member(json, 'snippet');
  const named = typeof name === 'string' && (channel.switches.caption_names === 'any' || name !== '');
  if (typeof videoId !== 'string' || typeof language !== 'string' || language === '' || !named) {
    captionError(400, 'invalidMetadata', 'The request contains invalid metadata values.');
  }
  if (String(name).length > 150) captionError(400, 'nameTooLong', 'The name is too long.');
  if (text === '')
    captionError(400, 'contentRequired', 'The request does not contain the caption track content.');
  const video = ownVideo(state, channel, String(videoId), 'videoId', 'youtube.caption');
  const same = listOf(state, video.id).some(each => each.language === language && each.name === name);
  if (same) captionError(409, 'captionExists', 'The specified video already has a caption track.');
  const caption = {
    id: `AUieDa${randomId(24)}`,
    video_id: video.id,
    language: String(language),
    name: String(name),
    text,
  };
  state.captions.set(caption.id, caption);
  showVideo(state, video);
  return c.json(captionResource(state, caption));
}

const listOf = ({ captions }: YoutubeState, videoId: string) =>
  captions.values().filter(({ video_id }) => video_id === videoId);

/** The JSON and the text of a multipart/related body (RFC 2387). */
async function relatedParts(c: Context): Promise<{ json: Record<string, unknown>; text: string }> {
  const boundary = /^multipart\/related;\s*boundary="?([^";]+)"?/.exec(
    c.req.header('content-type') ?? '',
  )?.[1];
  const sections = (await c.req.text()).split(`--${boundary ?? ''}`);
  const [, first = '', second = '', last] = sections;
  if (boundary === undefined || last?.trim() !== '--') return end(400, 'Invalid multipart request');
  const content = (section: string) => section.slice(section.indexOf('\r\n\r\n') + 4, -2);
  try {
    return { json: JSON.parse(content(first)) as Record<string, unknown>, text: content(second) };
  } catch {
    return refuse(400, 'parseError', 'Parse Error', { domain: 'global' });
  }
}

type Caption = ReturnType<typeof listOf>[number];

/** A text without time codes is accepted and fails. */
function captionResource(
  { host }: YoutubeState,
  { id, video_id, language, name, text }: Caption,
  trackKind: 'standard' | 'asr' = 'standard',
) {
  const isTimed = text.includes('-->');
  return {
    kind: 'youtube#caption',
    etag: `etag-${id}`,
    id,
    snippet: {
      videoId: video_id,
      lastUpdated: instant(host.now()),
      trackKind,
      language,
      name,
      audioTrackType: 'unknown',
      isDraft: false,
      status: isTimed ? 'serving' : 'failed',
      ...(isTimed ? {} : { failureReason: 'unknownFormat' }),
    },
  };
}

function listCaptions(state: YoutubeState, { c, channel }: Request): Response {
  const video = ownVideo(state, channel, required(c, 'videoId'), 'videoId', 'youtube.caption');
  const items = listOf(state, video.id).map(caption => captionResource(state, caption));
  const { speech_captions: language } = channel.switches;
  if (language !== null) {
    const recognised = { id: `asr-${video.id}`, video_id: video.id, language, name: '', text: '-->' };
    items.unshift(captionResource(state, recognised, 'asr'));
  }
  return c.json({ kind: 'youtube#captionListResponse', etag: 'etag-captions', items });
}

const MAX_COMMENT = 10_000;

/** The same comment can be posted twice. */
async function insertComment(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  const domain = 'youtube.commentThread';
  const body = await readJson(c);
  requireSameParts(body, parts);
  const snippet = member(body, 'snippet');
  const { channelId, videoId } = snippet;
  const text = member(member(snippet, 'topLevelComment'), 'snippet')['textOriginal'];
  const lenient = channel.switches.comment_channel === 'lenient';
  if (typeof videoId !== 'string' || (typeof channelId !== 'string' && !lenient)) {
    return refuse(400, 'channelOrVideoIdMissing', 'A comment thread must have a channel and a video id.', {
      domain,
    });
  }
  if (typeof text !== 'string' || text === '') {
    return refuse(400, 'commentTextRequired', 'The comment must have some text.', { domain });
  }
  if (text.length > MAX_COMMENT) refuse(400, 'commentTextTooLong', 'The comment is too long.', { domain });
  const video = state.videos.get(videoId);
  if (!video) return videoNotFound(domain);
  ownVideo(state, channel, videoId, 'videoId', domain);
  const isOpen =
    channel.switches.comments &&
    video.status['madeForKids'] !== true &&
    video.status['privacyStatus'] !== 'private' &&
    processingOf(state, video).uploadStatus === 'processed';
  if (!isOpen) {
    refuse(
      403,
      'commentsDisabled',
      'The video identified by the <code>videoId</code> parameter has disabled comments.',
      {
        domain,
        location: 'videoId',
        locationType: 'parameter',
      },
    );
  }
  const thread = {
    id: `Ugx${randomId(20)}`,
    video_id: videoId,
    channel_id: channel.id,
    text,
    at: state.host.now(),
  };
  state.comments.set(thread.id, thread);
  showVideo(state, video);
  return c.json(threadResource(thread));
}

type Thread = ReturnType<YoutubeState['comments']['values']>[number];

const threadResource = ({ id, video_id, channel_id, text }: Thread) => ({
  kind: 'youtube#commentThread',
  etag: `etag-${id}`,
  id,
  snippet: {
    channelId: channel_id,
    videoId: video_id,
    topLevelComment: {
      kind: 'youtube#comment',
      id,
      snippet: { textOriginal: text, authorChannelId: { value: channel_id } },
    },
    canReply: true,
    totalReplyCount: 0,
    isPublic: true,
  },
});

function listComments(state: YoutubeState, { c, channel }: Request): Response {
  const video = ownVideo(state, channel, required(c, 'videoId'), 'videoId', 'youtube.commentThread');
  const size = Number(c.req.query('maxResults') ?? 20);
  if (!(size >= 1 && size <= 100))
    badParameter('invalidParameter', 'maxResults', 'Invalid value for maxResults');
  const items = state.comments
    .values()
    .filter(({ video_id }) => video_id === video.id)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, size)
    .map(threadResource);
  return c.json({ kind: 'youtube#commentThreadListResponse', etag: 'etag-threads', items });
}
