import type * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import type { PlatformId, PostType } from '../model/platform.ts';

/** What a post says, before it is split by platform. Texts are normalised (LF line ends). */
export interface Draft {
  post_type: PostType;
  title: string | null;
  description: string | null;
  media_urls: readonly string[];
  first_comment: string | null;
  auto_truncate: boolean;
  /** The platform's own fields, validated by its option schema, defaults filled in. */
  options: JsonObject;
}

/** One broken rule, as it is shown in `details` of a 400. */
export interface Fault {
  field: string;
  message: string;
}

/** How a platform measures a text. */
export interface TextRule {
  /** Largest measure allowed. */
  limit: number;
  /** The measure of a text in `unit`. */
  measure: (text: string) => number;
  /** Name of the unit in messages: "weighted characters", "graphemes", "UTF-16 units". */
  unit: string;
}

export interface MediaRule {
  /** Most files in one post of this type; 0 for a text post. */
  max_files: number;
}

/** All that can be known about a platform without calling it. One object, read by validation, docs and publishers. */
export interface PlatformRules {
  platform: PlatformId;
  display_name: string;
  /** Supported post types; one that is missing is refused with 400. */
  post_types: Partial<Record<PostType, MediaRule>>;
  /** Rules that the post's text must satisfy, for a draft of this type. All of them hold. */
  text: (draft: Pick<Draft, 'post_type' | 'media_urls'>) => readonly TextRule[];
  /** The text as it will be sent: trimmed, normalised, and cut by the platform's own measure where it must be. */
  shape: (draft: Draft) => string;
  /** Schema entries of the platform's own post fields, by their full names (`x_reply_settings`). */
  options: v.ObjectEntries;
  /** Rules beyond counts and lengths: combinations, forbidden characters. Faults name the public field. */
  check: (draft: Draft) => readonly Fault[];
  /** Posts per connected account in any 24 hours. */
  daily_cap: number;
  /** How long after a lost commit its result is certainly visible to a read. Milliseconds. */
  settle_ms: number;
  /**
   * Resources of the publisher's Lambda. `request_s` is the longest that one step's requests may take: a step begins
   * only when that much of `timeout_s` is left. `images`: it needs the image library's layer.
   */
  worker: { timeout_s: number; request_s?: number; memory_mb: number; max_concurrency: number; images: boolean };
}
