import type { Hono } from 'hono';
import type { Json, JsonObject } from '../../../model/json.ts';
import { badParameter, badVideo, refuse, videoNotFound } from './errors.ts';
import { guarded, readJson, required, requireSameParts, type Guard, type Request } from './guard.ts';
import { removeRecording } from './live-broadcast-store.ts';
import { member, readPlacement, readRecording, readSnippet, readStatus, textOf } from './metadata.ts';
import { instant, type Channel, type Video, type YoutubeState } from './state.ts';

/** `videos.list`, `update` and `delete`. */
export function addVideos(app: Hono, guard: Guard, root: string): void {
  const { state } = guard;
  const path = `${root}/videos`;
  app.get(
    path,
    guarded(guard, 'videos', request => list(state, request)),
  );
  app.put(
    path,
    guarded(guard, 'update', request => update(state, request)),
  );
  app.delete(
    path,
    guarded(guard, 'remove', ({ c, channel }) => {
      const id = required(c, 'id');
      if (removeRecording(state, channel, id)) return new Response(null, { status: 204 });
      const video = ownVideo(state, channel, id, 'id');
      state.videos.delete(video.id);
      state.host.unpublish('youtube', video.id);
      return new Response(null, { status: 204 });
    }),
  );
}

const MAX_IDS = 50;
const OWNER_PARTS = ['fileDetails', 'processingDetails', 'suggestions'];

function list(state: YoutubeState, { c, channel, parts }: Request): Response {
  const filters = ['id', 'chart', 'myRating'].filter(name => c.req.query(name) !== undefined);
  if (filters.length > 1)
    badParameter('incompatibleParameters', filters.join(','), 'Incompatible parameters');
  const ids = required(c, 'id').split(',');
  if (ids.length > MAX_IDS) badParameter('invalidParameter', 'id', 'Too many ids');
  const videos = ids
    .map(id => state.videos.get(id))
    .filter(video => video !== undefined)
    .filter(video => isSeen(state, video))
    .filter(video => video.channel_id === channel.id || privacyOf(state, video) !== 'private');
  const foreign = videos.some(video => video.channel_id !== channel.id);
  if (foreign && parts.some(part => OWNER_PARTS.includes(part))) {
    refuse(403, 'forbidden', 'The request cannot access user details.', { domain: 'youtube.common' });
  }
  return c.json({
    kind: 'youtube#videoListResponse',
    etag: 'etag-videos',
    items: videos.map(video => videoResource(state, video, parts)),
    pageInfo: { totalResults: videos.length, resultsPerPage: videos.length },
  });
}

async function update(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  const body = await readJson(c);
  requireSameParts(body, parts);
  const video = ownVideo(state, channel, textOf(body['id']), 'body.id');
  const { switches } = channel;
  const snippet = member(body, 'snippet');
  if (parts.includes('snippet') && (snippet['title'] === undefined || snippet['categoryId'] === undefined)) {
    badVideo('invalidVideoMetadata', 'metadata', 'snippet');
  }
  const restriction = member(member(body, 'contentDetails'), 'regionRestriction') as JsonObject;
  const changed = {
    ...video,
    ...(parts.includes('snippet') ? { snippet: readSnippet(snippet, switches) } : {}),
    ...(parts.includes('status') ? { status: readStatus(member(body, 'status')) } : {}),
    ...(parts.includes('recordingDetails')
      ? { recordingDetails: readRecording(member(body, 'recordingDetails')) }
      : {}),
    ...(parts.includes('paidProductPlacementDetails')
      ? {
          paidProductPlacementDetails: readPlacement(
            member(body, 'paidProductPlacementDetails'),
            switches,
            false,
          ),
        }
      : {}),
    ...(parts.includes('contentDetails') && switches.partner ? { regionRestriction: restriction } : {}),
  } as Video;
  state.videos.set(video.id, changed);
  showVideo(state, changed);
  return c.json(videoResource(state, changed, parts));
}

/** For a while after an upload, YouTube does not find the video. */
export function isSeen({ host, channels }: YoutubeState, { uploaded_at, channel_id }: Video): boolean {
  const unseen = channels.get(channel_id)?.switches.unseen_s ?? 0;
  return host.now() - uploaded_at >= unseen * 1000;
}

/** A video of the channel. Ends the request for others. */
export function ownVideo(
  state: YoutubeState,
  { id: channelId }: Channel,
  id: string,
  location: string,
  domain = 'youtube.video',
): Video {
  const video = state.videos.get(id);
  if (!video || !isSeen(state, video)) return videoNotFound(domain, location);
  if (video.channel_id !== channelId) {
    return refuse(403, 'forbidden', 'Forbidden', {
      domain,
      location: 'Authorization',
      locationType: 'header',
    });
  }
  return video;
}

const REJECTIONS = [
  'copyright',
  'inappropriate',
  'duplicate',
  'termsOfUse',
  'uploaderAccountSuspended',
  'length',
  'claim',
  'uploaderAccountClosed',
  'trademark',
  'legal',
];

interface Processing {
  uploadStatus: 'uploaded' | 'processed' | 'failed' | 'rejected';
  reason: string | null;
}

/** How far YouTube is with a video; `POST /_control/processing` sets its time, and a reason for which it ends badly. */
export function processingOf({ host }: YoutubeState, { uploaded_at, invalid }: Video): Processing {
  const { seconds, outcome, error } = host.processing('youtube');
  if (host.now() - uploaded_at < seconds * 1000) return { uploadStatus: 'uploaded', reason: null };
  const reason = outcome === 'error' ? (error ?? 'conversion') : invalid;
  if (reason === null) return { uploadStatus: 'processed', reason };
  return { uploadStatus: REJECTIONS.includes(reason) ? 'rejected' : 'failed', reason };
}

/** Who can see a video. */
function privacyOf(state: YoutubeState, video: Video): Json {
  const forced = state.channels.get(video.channel_id)?.switches.forced_private ?? 'off';
  const isForced =
    forced === 'at_once' ||
    (forced === 'when_processed' && processingOf(state, video).uploadStatus !== 'uploaded');
  return isForced ? 'private' : (video.status['privacyStatus'] ?? 'public');
}

/** Parts of a video. */
export function videoResource(state: YoutubeState, video: Video, parts: readonly string[]): JsonObject {
  const { id, snippet, status, recordingDetails, paidProductPlacementDetails, regionRestriction, file } =
    video;
  const { uploadStatus, reason } = processingOf(state, video);
  const all: JsonObject = {
    snippet: {
      ...snippet,
      publishedAt: instant(video.uploaded_at),
      channelId: video.channel_id,
      channelTitle: state.channels.get(video.channel_id)?.title ?? '',
      liveBroadcastContent: 'none',
      thumbnails: pictures(id),
      localized: { title: snippet['title'] ?? '', description: snippet['description'] ?? '' },
    },
    status: {
      ...status,
      uploadStatus,
      privacyStatus: privacyOf(state, video),
      ...(uploadStatus === 'failed' ? { failureReason: reason } : {}),
      ...(uploadStatus === 'rejected' ? { rejectionReason: reason } : {}),
    },
    recordingDetails,
    paidProductPlacementDetails: { hasPaidProductPlacement: false, ...paidProductPlacementDetails },
    contentDetails: {
      duration: `PT${Math.round(video.duration ?? 0)}S`,
      dimension: '2d',
      ...(regionRestriction === null ? {} : { regionRestriction }),
    },
    processingDetails: {
      processingStatus: {
        uploaded: 'processing',
        processed: 'succeeded',
        failed: 'failed',
        rejected: 'terminated',
      }[uploadStatus],
      ...(uploadStatus === 'failed' ? { processingFailureReason: 'transcodeFailed' } : {}),
    },
    fileDetails: { fileName: file.name, fileSize: String(file.size), fileType: 'video' },
    statistics: statistics(state, video),
  };
  const named = Object.entries(all).filter(([name]) => parts.includes(name));
  return { kind: 'youtube#video', etag: `etag-${id}`, id, ...Object.fromEntries(named) };
}

function pictures(id: string): JsonObject {
  const picture = (name: string, width: number, height: number) => ({
    url: `https://i.ytimg.com/vi/${id}/${name}.jpg`,
    width,
    height,
  });
  return { default: picture('default', 120, 90), high: picture('hqdefault', 480, 360) };
}

/** Numbers are strings. Hidden counts are left out, which is not the same as zero. */
function statistics({ host, channels }: YoutubeState, { id, channel_id }: Video): JsonObject {
  const { views = 0, likes = 0, comments = 0 } = host.metrics('youtube', id) ?? {};
  const hidden = channels.get(channel_id)?.switches.hidden_counts === true;
  return {
    viewCount: counted(views),
    favoriteCount: '0',
    ...(hidden ? {} : { likeCount: counted(likes), commentCount: counted(comments) }),
  };
}

const counted = (count: Json): string => (typeof count === 'number' ? String(count) : '0');

/** Shows a video on the sandbox's page as it is now. */
export function showVideo(state: YoutubeState, video: Video): void {
  const { host, captions, items, comments } = state;
  const { id, file, snippet, thumbnail } = video;
  const ofVideo = <T extends { video_id: string }>(all: T[]) => all.filter(({ video_id }) => video_id === id);
  host.unpublish('youtube', id);
  host.publish({
    platform: 'youtube',
    account: video.channel_id,
    platform_post_id: id,
    platform_post_url: `https://www.youtube.com/watch?v=${id}`,
    kind: video.vertical && (video.duration ?? Infinity) <= 180 ? 'short' : 'video',
    text: textOf(snippet['description']),
    title: textOf(snippet['title']),
    media: [
      { sha256: file.sha256, type: file.type, size: file.size },
      ...(thumbnail === null ? [] : [thumbnail]),
    ],
    comments: ofVideo(comments.values()).map(({ id: commentId, text }) => ({ id: commentId, text })),
    fields: {
      request: video.request,
      snippet,
      status: { ...video.status, privacyStatus: privacyOf(state, video) },
      recordingDetails: video.recordingDetails,
      paidProductPlacementDetails: video.paidProductPlacementDetails,
      regionRestriction: video.regionRestriction,
      captions: ofVideo(captions.values()).map(({ language, name, text }) => ({ language, name, text })),
      playlists: ofVideo(items.values()).map(({ playlist_id }) => playlist_id),
    },
    published_at: instant(video.uploaded_at),
  });
}
