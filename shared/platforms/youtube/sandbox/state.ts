import { createHash, randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost, SandboxUpload } from '../../contract/sandbox.ts';
import { JsonObjectSchema } from '../../../model/json.ts';
import { openLiveState, type LiveState } from './live-state.ts';

/** How a channel behaves; `POST /_control/accounts` changes it. */
export const SwitchesSchema = v.object({
  /** `allowed`, `eligible` (not verified by phone: 15 minutes at most) or `disallowed`. */
  long_uploads: v.picklist(['allowed', 'eligible', 'disallowed']),
  thumbnails: v.boolean(),
  /** The thumbnails of a day are used up. */
  thumbnails_limited: v.boolean(),
  comments: v.boolean(),
  /** Uploads per day; YouTube does not publish the number. */
  daily_uploads: v.number(),
  /** The app is in testing: refresh tokens last 7 days. */
  testing: v.boolean(),
  /** The answer for a Google account without a channel. */
  no_channel: v.picklist(['empty', 'signup_required']),
  /** Whether and when every video becomes private, whatever was asked. */
  forced_private: v.picklist(['off', 'at_once', 'when_processed']),
  paid_placement: v.picklist(['stored', 'ignored', 'refused_on_insert', 'refused']),
  audio_language: v.picklist(['stored', 'ignored']),
  /** Content partners alone can restrict countries. */
  partner: v.boolean(),
  /** Whether captions need a name that is not empty. */
  caption_names: v.picklist(['any', 'required']),
  /** Language of the captions that YouTube makes itself by recognising speech; null: none. */
  speech_captions: v.nullable(v.string()),
  /** Comments need a channel id beside the video id. */
  comment_channel: v.picklist(['required', 'lenient']),
  /** A finished upload session is forgotten at once. */
  forget_finished: v.boolean(),
  /** Status of the answer to the last byte. */
  created_status: v.picklist([200, 201]),
  /** Bytes that are kept of each part of an upload; null: all. */
  keep_bytes: v.nullable(v.number()),
  /** Seconds after an upload in which other calls do not find the video. */
  unseen_s: v.number(),
  /** The channel may stream live. */
  live: v.boolean(),
  /** New broadcasts are throttled. */
  live_throttled: v.boolean(),
  /** Whether a broadcast can start by itself. */
  live_auto_start: v.boolean(),
  /** Seconds that a broadcast takes to go live. */
  live_transition_s: v.number(),
  /** Whether a completed broadcast can be deleted at once, or only after its video. */
  live_delete_completed: v.picklist(['allowed', 'video_first']),
  /** Likes and comments are left out of the statistics. */
  hidden_counts: v.boolean(),
});
export type Switches = v.InferOutput<typeof SwitchesSchema>;

const ChannelSchema = v.object({
  /** Id of the channel, or of the Google account without one. */
  id: v.string(),
  handle: v.string(),
  title: v.string(),
  has_channel: v.boolean(),
  switches: SwitchesSchema,
});
export type Channel = v.InferOutput<typeof ChannelSchema>;

const VideoSchema = v.object({
  id: v.string(),
  channel_id: v.string(),
  /** Epoch milliseconds. */
  uploaded_at: v.number(),
  file: v.object({ name: v.string(), size: v.number(), sha256: v.string(), type: v.string() }),
  /** Seconds; null while unknown. */
  duration: v.nullable(v.number()),
  vertical: v.boolean(),
  /** Why the file cannot be processed; null if it can. */
  invalid: v.nullable(v.string()),
  snippet: JsonObjectSchema,
  status: JsonObjectSchema,
  recordingDetails: JsonObjectSchema,
  paidProductPlacementDetails: JsonObjectSchema,
  regionRestriction: v.nullable(JsonObjectSchema),
  notify: v.boolean(),
  thumbnail: v.nullable(v.object({ sha256: v.string(), type: v.string() })),
  /** The request that started the upload. */
  request: JsonObjectSchema,
});
export type Video = v.InferOutput<typeof VideoSchema>;

const CaptionSchema = v.object({
  id: v.string(),
  video_id: v.string(),
  language: v.string(),
  name: v.string(),
  text: v.string(),
});

const PlaylistSchema = v.object({
  id: v.string(),
  channel_id: v.string(),
  title: v.string(),
  description: v.string(),
  privacy: v.string(),
  /** Special lists take each video once. */
  special: v.boolean(),
});

const PlaylistItemSchema = v.object({
  id: v.string(),
  playlist_id: v.string(),
  video_id: v.string(),
});

const CommentSchema = v.object({
  id: v.string(),
  video_id: v.string(),
  channel_id: v.string(),
  text: v.string(),
  at: v.number(),
});

/** A running upload. It ends with the process. */
export interface Session {
  channel_id: string;
  size: number;
  type: string;
  slug: string;
  /** Parts named at the start: those that the final answer has. */
  parts: string[];
  body: Record<string, unknown>;
  notify: boolean;
  upload: SandboxUpload;
  stored: number;
  /** Size of the first part: all but the last have it. */
  part_size: number | null;
  video_id: string | null;
  started_at: number;
}

export interface YoutubeState {
  live: LiveState;
  host: SandboxHost;
  channels: SandboxCollection<Channel>;
  videos: SandboxCollection<Video>;
  captions: SandboxCollection<v.InferOutput<typeof CaptionSchema>>;
  playlists: SandboxCollection<v.InferOutput<typeof PlaylistSchema>>;
  items: SandboxCollection<v.InferOutput<typeof PlaylistItemSchema>>;
  comments: SandboxCollection<v.InferOutput<typeof CommentSchema>>;
  sessions: Map<string, Session>;
  /** Units by bucket and Pacific day. */
  units: Map<string, number>;
}

export const APP = {
  client_id: 'sandbox-youtube-client.apps.googleusercontent.com',
  client_secret: 'sandbox-youtube-secret',
};

const DEFAULTS: Switches = {
  long_uploads: 'allowed',
  thumbnails: true,
  thumbnails_limited: false,
  comments: true,
  daily_uploads: 100,
  testing: false,
  no_channel: 'empty',
  forced_private: 'off',
  paid_placement: 'stored',
  audio_language: 'stored',
  partner: false,
  caption_names: 'any',
  speech_captions: null,
  comment_channel: 'required',
  forget_finished: false,
  created_status: 201,
  keep_bytes: null,
  unseen_s: 0,
  live: true,
  live_throttled: false,
  live_auto_start: true,
  live_transition_s: 5,
  live_delete_completed: 'video_first',
  hidden_counts: false,
};

const channel = (handle: string, title: string, switches: Partial<Switches> = {}, has_channel = true) => ({
  id: `UC${createHash('sha256').update(handle).digest('base64url').slice(0, 22)}`,
  handle,
  title,
  has_channel,
  switches: { ...DEFAULTS, ...switches },
});

/** `&as=<handle>` on the consent page selects one. */
export const CHANNELS: readonly Channel[] = [
  channel('demo', 'Demo'),
  channel('demo_brand', 'Demo Brand'),
  channel('demo_new', 'Demo New', { long_uploads: 'eligible', thumbnails: false }),
  channel('demo_none', 'Demo without a channel', {}, false),
];

export function openState(host: SandboxHost): YoutubeState {
  const state: YoutubeState = {
    host,
    live: openLiveState(host),
    channels: host.collection('channels', ChannelSchema),
    videos: host.collection('videos', VideoSchema),
    captions: host.collection('captions', CaptionSchema),
    playlists: host.collection('playlists', PlaylistSchema),
    items: host.collection('playlist-items', PlaylistItemSchema),
    comments: host.collection('comments', CommentSchema),
    sessions: new Map(),
    units: new Map(),
  };
  if (state.channels.values().length === 0) seed(state);
  return state;
}

export function seed({ channels, playlists }: YoutubeState): void {
  channels.clear();
  playlists.clear();
  for (const each of CHANNELS) channels.set(each.id, each);
  const [demo] = CHANNELS;
  const own = { channel_id: demo!.id, description: '', special: false };
  playlists.set('PLdemoBaking', { ...own, id: 'PLdemoBaking', title: 'Baking', privacy: 'public' });
  playlists.set('PLdemoTravel', { ...own, id: 'PLdemoTravel', title: 'Travel', privacy: 'unlisted' });
  playlists.set('WLdemo', { ...own, id: 'WLdemo', title: 'Watch later', privacy: 'private', special: true });
}

export function findChannel({ channels }: YoutubeState, idOrHandle: string): Channel | undefined {
  return channels.get(idOrHandle) ?? channels.values().find(({ handle }) => handle === idOrHandle);
}

/** The list of a channel's uploads. */
export const uploadsOf = (channelId: string): string => `UU${channelId.slice(2)}`;

export const randomId = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Epoch milliseconds as the API writes times. */
export const instant = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');
