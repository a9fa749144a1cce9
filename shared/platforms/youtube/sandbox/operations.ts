const AUTH = 'https://www.googleapis.com/auth';
export const FORCE_SSL = `${AUTH}/youtube.force-ssl`;
export const MANAGE = `${AUTH}/youtube`;
export const READONLY = `${AUTH}/youtube.readonly`;
export const UPLOAD = `${AUTH}/youtube.upload`;
export const ANALYTICS = `${AUTH}/yt-analytics.readonly`;
export const SCOPES = [FORCE_SSL, MANAGE, READONLY, UPLOAD, ANALYTICS];

export const READ_SCOPES = [READONLY, MANAGE, FORCE_SSL];
export const WRITE_SCOPES = [MANAGE, FORCE_SSL];
const UPLOAD_SCOPES = [UPLOAD, MANAGE, FORCE_SSL];

export interface Operation {
  method: string;
  scopes: readonly string[];
  /** Units of the common bucket. */
  units: number;
  /** Parts of the method; none where it takes no `part`. */
  parts?: readonly string[];
  bucket?: 'uploads';
}

const VIDEO_PARTS = [
  'contentDetails',
  'fileDetails',
  'id',
  'liveStreamingDetails',
  'localizations',
  'paidProductPlacementDetails',
  'player',
  'processingDetails',
  'recordingDetails',
  'snippet',
  'statistics',
  'status',
  'suggestions',
  'topicDetails',
];
const PLAYLIST_PARTS = ['contentDetails', 'id', 'localizations', 'player', 'snippet', 'status'];
const BROADCAST_PARTS = ['contentDetails', 'id', 'snippet', 'status'];
const STREAM_PARTS = ['cdn', 'id', 'snippet', 'status'];
const ITEM_PARTS = ['contentDetails', 'id', 'snippet', 'status'];
const CHANNEL_PARTS = [
  'auditDetails',
  'brandingSettings',
  'contentDetails',
  'contentOwnerDetails',
  'id',
  'localizations',
  'snippet',
  'statistics',
  'status',
  'topicDetails',
];

export const OPERATIONS = {
  channels: { method: 'ChannelService.List', scopes: READ_SCOPES, units: 1, parts: CHANNEL_PARTS },
  insert: {
    method: 'VideoService.Insert',
    scopes: UPLOAD_SCOPES,
    units: 0,
    parts: VIDEO_PARTS,
    bucket: 'uploads',
  },
  videos: { method: 'VideoService.List', scopes: READ_SCOPES, units: 1, parts: VIDEO_PARTS },
  update: { method: 'VideoService.Update', scopes: WRITE_SCOPES, units: 50, parts: VIDEO_PARTS },
  remove: { method: 'VideoService.Delete', scopes: WRITE_SCOPES, units: 50 },
  thumbnail: { method: 'ThumbnailService.Set', scopes: UPLOAD_SCOPES, units: 50 },
  caption: { method: 'CaptionService.Insert', scopes: [FORCE_SSL], units: 400, parts: ['id', 'snippet'] },
  captions: { method: 'CaptionService.List', scopes: [FORCE_SSL], units: 50, parts: ['id', 'snippet'] },
  playlists: { method: 'PlaylistService.List', scopes: READ_SCOPES, units: 1, parts: PLAYLIST_PARTS },
  playlist: { method: 'PlaylistService.Insert', scopes: WRITE_SCOPES, units: 50, parts: PLAYLIST_PARTS },
  items: { method: 'PlaylistItemService.List', scopes: READ_SCOPES, units: 1, parts: ITEM_PARTS },
  item: { method: 'PlaylistItemService.Insert', scopes: WRITE_SCOPES, units: 50, parts: ITEM_PARTS },
  threads: {
    method: 'CommentThreadService.List',
    scopes: [FORCE_SSL],
    units: 1,
    parts: ['id', 'replies', 'snippet'],
  },
  thread: {
    method: 'CommentThreadService.Insert',
    scopes: [FORCE_SSL],
    units: 50,
    parts: ['id', 'replies', 'snippet'],
  },
  categories: {
    method: 'VideoCategoryService.List',
    scopes: READ_SCOPES,
    units: 1,
    parts: ['id', 'snippet'],
  },
  languages: { method: 'I18nLanguageService.List', scopes: READ_SCOPES, units: 1, parts: ['id', 'snippet'] },
  regions: { method: 'I18nRegionService.List', scopes: READ_SCOPES, units: 1, parts: ['id', 'snippet'] },
  broadcasts: {
    method: 'LiveBroadcastService.List',
    scopes: READ_SCOPES,
    units: 1,
    parts: [...BROADCAST_PARTS, 'monetizationDetails', 'statistics'],
  },
  broadcast: {
    method: 'LiveBroadcastService.Insert',
    scopes: WRITE_SCOPES,
    units: 50,
    parts: BROADCAST_PARTS,
  },
  bind: { method: 'LiveBroadcastService.Bind', scopes: WRITE_SCOPES, units: 50, parts: BROADCAST_PARTS },
  transition: {
    method: 'LiveBroadcastService.Transition',
    scopes: WRITE_SCOPES,
    units: 50,
    parts: BROADCAST_PARTS,
  },
  remove_broadcast: { method: 'LiveBroadcastService.Delete', scopes: WRITE_SCOPES, units: 50 },
  streams: { method: 'LiveStreamService.List', scopes: READ_SCOPES, units: 1, parts: STREAM_PARTS },
  stream: {
    method: 'LiveStreamService.Insert',
    scopes: WRITE_SCOPES,
    units: 50,
    parts: [...STREAM_PARTS, 'contentDetails'],
  },
  remove_stream: { method: 'LiveStreamService.Delete', scopes: WRITE_SCOPES, units: 50 },
} as const satisfies Record<string, Operation>;
export type OperationName = keyof typeof OPERATIONS;
