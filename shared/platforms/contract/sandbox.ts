import type { Hono } from 'hono';
import type { JsonObject } from '../../model/json.ts';
import type { PlatformId } from '../../model/platform.ts';
import type { HttpClient } from '../../net/http.ts';
import type { AppCredentials } from './connector.ts';

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
}

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
  /** The request that made the post, as it was received. */
  fields: JsonObject;
  /** ISO 8601. */
  published_at: string;
}

/** What a platform's double may use of the sandbox that houses it. */
export interface SandboxHost {
  /** The stack's clock, epoch milliseconds. */
  now: () => number;
  /** Base URL of the sandbox; `/<platform>/<real host>/…` below it reaches the double. */
  url: string;
  publish: (post: SandboxPost) => void;
  unpublish: (platform: PlatformId, platformPostId: string) => void;
  posts: (platform: PlatformId) => readonly SandboxPost[];
  /** How long media are "processing" and how that ends; set by `POST /_control/processing`. */
  processing: (platform: PlatformId) => { seconds: number; outcome: 'ok' | 'error'; error: string | null };
  /** A publishing limit that the platform announces, as it was set by `POST /_control/limits`; null: none. */
  limit: (platform: PlatformId, account: string) => JsonObject | null;
  /** Likes, comments, shares, views set by `POST /_control/metrics`. */
  metrics: (platform: PlatformId, platformPostId: string) => JsonObject | null;
  /** Keeps the bytes (the sandbox page shows them) and tells what they are, from the bytes alone. */
  keepMedia: (bytes: Uint8Array) => Promise<SandboxMedia & { sha256: string; size: number }>;
  /** For doubles that fetch media by URL, as their platform does. */
  http: HttpClient;
}

/** The double of one platform: its real protocol under `/<real host>/<path>`, as strict as the platform. */
export interface SandboxPlatform {
  platform: PlatformId;
  app: Hono;
  /** What connects the Demo profile: the app registration of an OAuth platform, or the body of a direct connect. */
  demo: { app: AppCredentials } | { body: JsonObject };
  /** `POST /_control/tokens`; without account: all accounts. */
  tokens: (action: 'expire' | 'revoke' | 'revoke_refresh', account: string | null) => void;
  /** Forgets everything but the demo account. */
  reset: () => void;
}

export type SandboxFactory = (host: SandboxHost) => SandboxPlatform;
