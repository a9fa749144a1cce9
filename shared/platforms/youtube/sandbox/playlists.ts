import type { Hono } from 'hono';
import { badParameter, refuse } from './errors.ts';
import { guarded, readJson, requireSameParts, type Guard, type Request } from './guard.ts';
import { member, textOf } from './metadata.ts';
import { page } from './page.ts';
import { randomId, uploadsOf, type YoutubeState } from './state.ts';
import { isSeen, ownVideo, showVideo } from './videos.ts';

/** Playlists of the channel and their videos. */
export function addPlaylists(app: Hono, guard: Guard, root: string): void {
  const { state } = guard;
  app.get(
    `${root}/playlists`,
    guarded(guard, 'playlists', request => listPlaylists(state, request)),
  );
  app.post(
    `${root}/playlists`,
    guarded(guard, 'playlist', request => createPlaylist(state, request)),
  );
  app.get(
    `${root}/playlistItems`,
    guarded(guard, 'items', request => listItems(state, request)),
  );
  app.post(
    `${root}/playlistItems`,
    guarded(guard, 'item', request => addItem(state, request)),
  );
}

type Playlist = NonNullable<ReturnType<YoutubeState['playlists']['get']>>;

function listPlaylists(state: YoutubeState, { c, channel, parts }: Request): Response {
  if (c.req.query('mine') !== 'true') {
    badParameter(
      'missingRequiredParameter',
      'mine',
      'No filter selected. Expected one of: mine, id, channelId',
    );
  }
  const own = state.playlists
    .values()
    .filter(({ channel_id, special }) => channel_id === channel.id && !special);
  const { items, more } = page(c, own);
  return c.json({
    kind: 'youtube#playlistListResponse',
    etag: 'etag-playlists',
    ...more,
    items: items.map(playlist => playlistResource(state, playlist, parts)),
  });
}

function playlistResource({ items }: YoutubeState, playlist: Playlist, parts: readonly string[]) {
  const { id, title, description, privacy } = playlist;
  const all = {
    snippet: {
      channelId: playlist.channel_id,
      title,
      description,
      thumbnails: { high: { url: `https://i.ytimg.com/vi/${id}/hqdefault.jpg`, width: 480, height: 360 } },
    },
    status: { privacyStatus: privacy },
    contentDetails: { itemCount: items.values().filter(({ playlist_id }) => playlist_id === id).length },
  };
  const named = Object.entries(all).filter(([name]) => parts.includes(name));
  return { kind: 'youtube#playlist', etag: `etag-${id}`, id, ...Object.fromEntries(named) };
}

async function createPlaylist(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  const body = await readJson(c);
  requireSameParts(body, parts);
  const { title, description = '' } = member(body, 'snippet');
  if (typeof title !== 'string' || title.trim() === '') {
    return refuse(400, 'playlistTitleRequired', 'The request must specify a playlist title.', {
      domain: 'youtube.playlist',
    });
  }
  if (
    title.length > 150 ||
    typeof description !== 'string' ||
    description.length > 5000 ||
    /[<>]/.test(title + description)
  ) {
    return refuse(400, 'invalidPlaylistSnippet', 'The request provides an invalid playlist snippet.', {
      domain: 'youtube.playlist',
    });
  }
  const privacy = textOf(member(body, 'status')['privacyStatus'], 'public');
  const id = `PL${randomId(24)}`;
  const playlist = { id, channel_id: channel.id, title, description, privacy, special: false };
  state.playlists.set(id, playlist);
  return c.json(playlistResource(state, playlist, parts));
}

function listItems(state: YoutubeState, { c, channel, parts }: Request): Response {
  const playlistId = c.req.query('playlistId') ?? '';
  if (playlistId === '') {
    badParameter(
      'playlistIdRequired',
      'playlistId',
      'The subscribe request does not specify a value for playlistId.',
    );
  }
  const videoId = c.req.query('videoId');
  const entries = entriesOf(state, channel.id, playlistId).filter(
    ({ video_id }) => videoId === undefined || video_id === videoId,
  );
  const { items, more } = page(c, entries);
  return c.json({
    kind: 'youtube#playlistItemListResponse',
    etag: 'etag-items',
    ...more,
    items: items.map(({ id, video_id }) => ({
      kind: 'youtube#playlistItem',
      etag: `etag-${id}`,
      id,
      ...(parts.includes('contentDetails') ? { contentDetails: { videoId: video_id } } : {}),
    })),
  });
}

/** The list of uploads has every video of the channel, newest first. */
function entriesOf(state: YoutubeState, channelId: string, playlistId: string) {
  if (playlistId === uploadsOf(channelId)) {
    return state.videos
      .values()
      .filter(video => video.channel_id === channelId && isSeen(state, video))
      .toSorted((a, b) => b.uploaded_at - a.uploaded_at)
      .map(({ id }) => ({ id: `UU-${id}`, video_id: id }));
  }
  ownPlaylist(state, channelId, playlistId);
  return state.items.values().filter(({ playlist_id }) => playlist_id === playlistId);
}

function ownPlaylist(state: YoutubeState, channelId: string, id: string): Playlist {
  const playlist = state.playlists.get(id);
  if (!playlist) {
    return refuse(404, 'playlistNotFound', 'The playlist identified with the request cannot be found.', {
      domain: 'youtube.playlistItem',
      location: 'playlistId',
      locationType: 'parameter',
    });
  }
  if (playlist.channel_id !== channelId) {
    return refuse(403, 'playlistItemsNotAccessible', 'Forbidden', { domain: 'youtube.playlistItem' });
  }
  return playlist;
}

const MAX_ITEMS = 5000;

/** An ordinary playlist takes the same video twice. */
async function addItem(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  const body = await readJson(c);
  requireSameParts(body, parts);
  const snippet = member(body, 'snippet');
  const { kind, videoId } = member(snippet, 'resourceId');
  const playlistId = snippet['playlistId'];
  const missing = (reason: string) =>
    refuse(400, reason, 'The request does not specify a required value.', { domain: 'youtube.playlistItem' });
  if (typeof playlistId !== 'string') return missing('playlistIdRequired');
  if (typeof videoId !== 'string') return missing('resourceIdRequired');
  if (kind !== 'youtube#video') return missing('invalidResourceType');
  if (playlistId === uploadsOf(channel.id)) return missing('playlistOperationUnsupported');
  const playlist = ownPlaylist(state, channel.id, playlistId);
  const video = ownVideo(state, channel, videoId, 'body.snippet.resourceId.videoId', 'youtube.playlistItem');
  const present = state.items.values().filter(({ playlist_id }) => playlist_id === playlistId);
  if (present.length >= MAX_ITEMS) {
    refuse(403, 'playlistContainsMaximumNumberOfVideos', 'Maximum playlist size exceeded', {
      domain: 'youtube.playlistItem',
    });
  }
  if (playlist.special && present.some(({ video_id }) => video_id === videoId)) {
    refuse(409, 'videoAlreadyInPlaylist', 'The video is already in the playlist.', {
      domain: 'youtube.playlistItem',
    });
  }
  const id = `UEw${randomId(24)}`;
  state.items.set(id, { id, playlist_id: playlistId, video_id: videoId });
  showVideo(state, video);
  return c.json({
    kind: 'youtube#playlistItem',
    etag: `etag-${id}`,
    id,
    snippet: { playlistId, position: present.length, resourceId: { kind, videoId } },
  });
}
