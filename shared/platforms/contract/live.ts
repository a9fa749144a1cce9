import type { JsonObject } from '../../model/json.ts';
import type { Quota } from './quota.ts';
import type { ConnectContext, ConnectedAccount } from './connector.ts';

/** A broadcast to create. */
export interface NewBroadcast {
  title: string;
  description: string | null;
  privacy: 'public' | 'unlisted' | 'private';
  /** Epoch milliseconds. */
  start_time: number;
}

/** A broadcast that exists at the platform. */
export interface FoundBroadcast {
  id: string;
  /** When it was created; null where the platform does not say. Epoch milliseconds. */
  created_at: number | null;
}

/** Where an encoder sends its stream. */
export interface Ingest {
  id: string;
  /** Address without the stream key. */
  url: string;
  stream_key: string;
}

/**
 * `ready`: it can go live. `starting`: the platform is moving it. `gone`: the platform does not know it. `revoked`: the
 * platform has taken it away.
 */
export type BroadcastStage = 'created' | 'ready' | 'starting' | 'live' | 'complete' | 'revoked' | 'gone';

/** Calls of one account. Each is one request where not stated otherwise, and throws PlatformError. */
export interface LiveCalls {
  /** Creates a broadcast and returns its id. A lost response leaves one behind: see `findBroadcasts`. */
  createBroadcast: (broadcast: NewBroadcast) => Promise<string>;
  /** Returns the upcoming broadcasts that look like this one; several requests where the channel has many. */
  findBroadcasts: (broadcast: NewBroadcast) => Promise<FoundBroadcast[]>;
  /** Creates the stream of a broadcast. `marker` is text that viewers do not see, for `findStream`. */
  createStream: (title: string, marker: string) => Promise<Ingest>;
  /** Returns the stream with this marker, or null; several requests where the channel has many. */
  findStream: (marker: string) => Promise<Ingest | null>;
  /** Connects a broadcast to a stream. Safe to repeat. */
  bind: (broadcastId: string, streamId: string) => Promise<void>;
  stageOf: (broadcastId: string) => Promise<BroadcastStage>;
  /** True while the platform receives the stream. */
  isReceiving: (streamId: string) => Promise<boolean>;
  /** Moves a broadcast to live; the platform takes up to a minute. Safe to repeat. */
  goLive: (broadcastId: string) => Promise<void>;
  /** Ends a broadcast. Safe to repeat; one that never went live is left as it is. */
  complete: (broadcastId: string) => Promise<void>;
  /** Deletes a broadcast with its recording: up to three requests. Safe to repeat. */
  deleteBroadcast: (broadcastId: string) => Promise<void>;
  /** Deletes a stream; one that is still in use is left as it is. Safe to repeat. */
  deleteStream: (streamId: string) => Promise<void>;
}

/** What `live.ts` of a platform exports as `live`. */
export interface LivePlatform {
  open: (account: ConnectedAccount<JsonObject>, context: ConnectContext & { quota: Quota }) => LiveCalls;
}
