import type { Hono } from 'hono';
import type { GenericSchema } from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { PlatformId } from '../../model/platform.ts';
import type { HttpClient } from '../../net/http.ts';
import type { AppCredentials } from './connector.ts';

/** A platform of the sandbox: `sandbox/server.ts` of its folder exports one as `sandbox`. */
export interface SandboxDefinition {
  platform: PlatformId;
  /** How the sandbox's page shows the platform. */
  badge: SandboxBadge;
  /**
   * Hosts that the fake server plays; `*.example.com` for all subdomains. A request to `https://<host>/<path>` reaches
   * its app as `/<host>/<path>`.
   */
  hosts: readonly string[];
  /** Secrets in this platform's traffic that are masked in records, besides the usual names like `access_token`. */
  secrets?: SandboxSecrets;
  /** Links that the platform shows in a published text; none by default. */
  links?: (text: string, post: SandboxPost) => TextLink[];
  /** What the local stack connects its Demo profile with: the app of an OAuth platform, or the body of a direct connect. */
  demo: { app: AppCredentials } | { body: JsonObject };
  start: (host: SandboxHost) => SandboxPlatform;
}

export interface SandboxBadge {
  /** Name of the platform as people write it. */
  name: string;
  /** One or two letters. */
  letters: string;
  /** CSS color behind the white letters. */
  color: string;
  /** CSS color in dark mode, if it differs. */
  darkColor?: string;
}

export interface SandboxSecrets {
  /** Lower-case names of request headers. */
  headers?: readonly string[];
  /** Names of query parameters. */
  query?: readonly string[];
  /** Names of form fields and JSON members, in requests and responses. */
  fields?: readonly string[];
  /** Matches the secret in the path. */
  path?: RegExp;
}

/** A link in a text: start (inclusive) and end (exclusive) in UTF-16 units, and its target. */
export interface TextLink {
  start: number;
  end: number;
  href: string;
}

/** The running fake server of one platform: its real protocol below `/<real host>/<path>`, as strict as the platform. */
export interface SandboxPlatform {
  app: Hono;
  /** Ends tokens (`POST /_control/tokens`) of one account, or of all if it is null. */
  tokens: (action: 'expire' | 'revoke' | 'revoke_refresh', account: string | null) => void;
  /**
   * Changes a test account (`POST /_control/accounts`): suspends it, moves it, takes a right … Returns false if the account
   * does not exist. Throws ValiError if the change is invalid.
   */
  change?: (account: string, change: JsonObject) => boolean;
  /** Where the platform receives live streams. */
  ingest?: SandboxIngest;
  /** Restores the initial state: the test accounts and nothing published. */
  reset: () => void;
}

/** The live ingest of a platform, as an RTMP server behind the sandbox uses it. */
export interface SandboxIngest {
  /** Sets the address that the platform names to encoders from now on; the stream key follows it. */
  listenAt: (url: string) => void;
  /** An encoder has begun to send a stream. False for an unknown stream key: the ingest refuses it. */
  streamStarted: (streamKey: string) => boolean;
  streamStopped: (streamKey: string) => void;
  /** Returns the stream key of a broadcast, whose recording is at `/_recordings/<platform>/<id>`; null without a stream. */
  streamKeyOf: (platformPostId: string) => string | null;
}

/** What the sandbox provides to the fake server of a platform. */
export interface SandboxHost {
  /** The stack's clock, epoch milliseconds. */
  now: () => number;
  /** Base URL of the sandbox; `/<platform>/<real host>/…` below it reaches the fake server. */
  url: string;
  publish: (post: SandboxPost) => void;
  unpublish: (platform: PlatformId, platformPostId: string) => void;
  posts: (platform: PlatformId) => readonly SandboxPost[];
  /** How long media are processed and how that ends (`POST /_control/processing`). */
  processing: (platform: PlatformId) => { seconds: number; outcome: 'ok' | 'error'; error: string | null };
  /** Publishing limit set by `POST /_control/limits`; null if there is none. */
  limit: (platform: PlatformId, account: string) => JsonObject | null;
  /** Likes, comments, shares and views set by `POST /_control/metrics`. */
  metrics: (platform: PlatformId, platformPostId: string) => JsonObject | null;
  /** Stores a file for the sandbox's page and returns what it is, determined from the bytes alone. */
  storeMedia: (bytes: Uint8Array) => Promise<StoredMedia>;
  /** Begins a file that arrives in pieces. It is not kept in memory. */
  openUpload: () => SandboxUpload;
  /** Bytes of a stored file; null if it is unknown. */
  readMedia: (sha256: string) => Uint8Array | null;
  /** Items that survive a restart of a local stack started with `--data`, by a name that is unique in the platform. */
  collection: <T>(name: string, schema: GenericSchema<unknown, T>) => SandboxCollection<T>;
  /** For platforms that fetch media by URL. */
  http: HttpClient;
}

/** A file that arrives in pieces. */
export interface SandboxUpload {
  /** Keeps a piece. It replaces one that arrived at the same place before. */
  write: (bytes: Uint8Array, start: number) => void;
  /** Ends the upload and stores the file like `storeMedia`. */
  store: () => Promise<StoredMedia>;
  /** Ends the upload without a file. */
  discard: () => void;
}

/** Items by key, in the order of insertion. To change an item, set it again. */
export interface SandboxCollection<T> {
  get: (key: string) => T | undefined;
  set: (key: string, value: T) => void;
  delete: (key: string) => boolean;
  values: () => T[];
  entries: () => [string, T][];
  clear: () => void;
}

/** A file as the platform received it. */
export interface SandboxMedia {
  sha256?: string;
  url?: string;
  type: string;
  size?: number;
  width?: number;
  height?: number;
  /** Seconds. */
  duration?: number;
  /** Codec of the video track in MP4 notation without its parameters: `avc`, `hevc`, `vp9`, … */
  video_codec?: string;
  audio_codec?: string;
  /** Frames per second. */
  frame_rate?: number;
}

export type StoredMedia = SandboxMedia & { sha256: string; size: number };

/** A post that is live at a platform of the sandbox. */
export interface SandboxPost {
  platform: PlatformId;
  account: string;
  platform_post_id: string;
  platform_post_url: string | null;
  /** `text`, `image`, `video`, `document`, `album`, … */
  kind: string;
  text: string | null;
  title: string | null;
  media: SandboxMedia[];
  comments: { id: string; text: string }[];
  /** The request that created the post, as it was received. */
  fields: JsonObject;
  /** ISO 8601. */
  published_at: string;
}
