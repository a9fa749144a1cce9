import type * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { MediaFormat, MediaKind } from '../../model/media.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import type { TextRule } from '../../text/measure.ts';
import type { PictureNeeds } from './pictures.ts';

export type { TextRule } from '../../text/measure.ts';
export type { PictureNeeds } from './pictures.ts';

/** What a post says to one platform. Texts are normalised (LF line ends). */
export interface Draft {
  post_type: PostType;
  title: string | null;
  description: string | null;
  /** The platform's own list where the post has one, else the common one; no longer than the platform takes. */
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

export interface MediaRule {
  /** Most files in one post of this type; 0 for a text post. */
  max_files: number;
}

/** What a file of a post may be. What is not named is not limited here. */
export interface FileLimits {
  formats: readonly MediaFormat[];
  min_bytes?: number;
  max_bytes: number;
  min_seconds?: number;
  max_seconds?: number;
  /** Pixels. */
  min_width?: number;
  min_height?: number;
  max_width?: number;
  max_height?: number;
  /** Width divided by height. */
  min_aspect?: number;
  max_aspect?: number;
  /** Frames per second. */
  min_frame_rate?: number;
  max_frame_rate?: number;
  /** By the names of `MediaFacts`. */
  video_codecs?: readonly string[];
  audio_codecs?: readonly string[];
}

/** Closer limits of files for some posts: a Reel's, a Short's. */
export interface FileVariant {
  /** Names the posts in documents. */
  name: string;
  applies: (draft: Draft) => boolean;
  kind: MediaKind;
  limits: Partial<FileLimits>;
}

/** What a draft's limits on texts may depend on. */
export type TextContext = Pick<Draft, 'post_type' | 'media_urls' | 'options'>;

/** All that can be known about a platform without calling it. One object, read by validation, docs and publishers. */
export interface PlatformRules {
  platform: PlatformId;
  display_name: string;
  /** Supported post types; one that is missing is refused with 400. */
  post_types: Partial<Record<PostType, MediaRule>>;
  /** Limits of files as the service takes them. A publisher may have to convert a file to what its platform takes. */
  files: Partial<Record<MediaKind, FileLimits>>;
  file_variants?: readonly FileVariant[];
  /** What the platform itself takes as a picture of a post; null where it takes none. Others are made to fit it. */
  pictures: PictureNeeds | null;
  /** Fields that name a picture beside the post's media, such as the cover of a video. */
  covers?: Readonly<Record<string, { limits: FileLimits; needs: PictureNeeds }>>;
  /** Rules that the post's text must satisfy, for a draft of this type. All of them hold. */
  text: (draft: TextContext) => readonly TextRule[];
  /** Rules of the post's title; none where the platform states no limit. */
  title: (draft: TextContext) => readonly TextRule[];
  /** Post types whose title the platform shows; the title of others is not sent. */
  titled: readonly PostType[];
  /** Rules of the first comment; null where the service makes none on this platform. */
  comment: readonly TextRule[] | null;
  /** The platform's own fields that are texts with a limit: they are cut by `auto_truncate`. */
  text_fields: Readonly<Record<string, TextRule>>;
  /** The text as it will be sent: trimmed, normalised, and cut by the platform's own measure where it must be. */
  shape: (draft: Draft) => string;
  /** The title as it will be sent; default: trimmed, on one line, cut where it must be. */
  shape_title?: (draft: Draft) => string | null;
  /** Schema entries of the platform's own post fields, by their full names (`x_reply_settings`). */
  options: v.ObjectEntries;
  /** Fields without which no post can go to the platform. */
  required: readonly string[];
  /** Fields that say something for these post types only; with others they are ignored, with a warning. */
  only_for: Readonly<Record<string, readonly PostType[]>>;
  /** Fields with URLs that the service fetches: private addresses are refused when the post is made. */
  fetched: readonly string[];
  /** In words, for the documents: what `check` refuses. */
  combinations?: readonly string[];
  /** Rules beyond counts and lengths: combinations, forbidden characters. Faults name the public field. */
  check: (draft: Draft) => readonly Fault[];
  /** Fields that were sent and will say nothing, beyond those of `only_for`. */
  unused?: (draft: Draft, sent: ReadonlySet<string>) => readonly Fault[];
  /** Posts per connected account in any 24 hours. */
  daily_cap: number;
  /** How long after a lost commit its result is certainly visible to a read. Milliseconds. */
  settle_ms: number;
  /**
   * Resources of the publisher's Lambda. `request_s` is the longest that one step's requests may take: a step begins
   * only when that much of `timeout_s` is left.
   */
  worker: {
    timeout_s: number;
    request_s?: number;
    memory_mb: number;
    max_concurrency: number;
  };
}
