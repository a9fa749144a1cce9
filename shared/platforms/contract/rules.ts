import type * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { MediaFormat, MediaKind } from '../../model/media.ts';
import type { PostType } from '../../model/platform.ts';
import type { TextRule } from '../../text/measure.ts';
import type { PlatformBasics } from './basics.ts';
import type { PictureNeeds } from './pictures.ts';

export type { TextRule } from '../../text/measure.ts';
export type { PictureNeeds } from './pictures.ts';

/** What is known about the connected account that a post goes to: its subscription, its server, its creator settings. */
export interface AccountFacts {
  attributes: Readonly<Record<string, string>>;
  /** When the platform last confirmed them, epoch milliseconds; absent where they are read at connect time only. */
  facts_at?: number | null | undefined;
}

/** A post as one platform sees it. Texts are normalised (LF line ends). */
export interface Draft {
  post_type: PostType;
  title: string | null;
  /** `<platform>_description` where the post has one, else `description`. */
  description: string | null;
  /** `<platform>_media_urls` where the post has one, else `media_urls`; truncated to what the platform accepts. */
  media_urls: readonly string[];
  /** Alt text of each of `media_urls`; null where it has none. Absent: no alt texts. */
  alt_texts?: readonly (string | null)[] | undefined;
  first_comment: string | null;
  auto_truncate: boolean;
  /** The platform's own fields, validated by its option schema, defaults filled in. */
  options: JsonObject;
  /** Null while no account is known: the profile has no connection, or the draft serves the documents. */
  account: AccountFacts | null;
}

/** A broken content rule: one entry in `details` of a 400. */
export interface RuleViolation {
  field: string;
  message: string;
}

/** A field that was sent but has no effect: one `IGNORED_FIELD` warning. */
export interface IgnoredField {
  field: string;
  message: string;
}

export interface MediaRule {
  /** Maximum number of files in one post of this type; 0 for a text post. */
  max_files: number;
}

/** Limits of one file. A property that is absent sets no limit. */
export interface FileLimits {
  formats: readonly MediaFormat[];
  /** Formats among them that the platform does not show: they are sent as files to download. */
  sent_as_file?: readonly MediaFormat[];
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
  /** Limits that the platform documents and does not always enforce: a file beyond them is sent with a warning. Seconds, pixels. */
  documented?: {
    max_seconds?: number;
    min_width?: number;
    min_long_side?: number;
    max_long_side?: number;
    min_short_side?: number;
    max_short_side?: number;
  };
  /** Frames per second. */
  min_frame_rate?: number;
  max_frame_rate?: number;
  /** Codec names as in `MediaFacts`. */
  video_codecs?: readonly string[];
  audio_codecs?: readonly string[];
}

/** Stricter file limits for some posts, such as Reels or Shorts, or for some accounts. */
export interface FileVariant {
  /** Name of these posts in error messages and in the documents. */
  name: string;
  applies: (draft: Draft) => boolean;
  kind: MediaKind;
  limits: Partial<FileLimits>;
}

/** The parts of a draft that its text limits may depend on. */
export type TextContext = Pick<Draft, 'post_type' | 'media_urls' | 'options' | 'account'>;

/** Everything about a platform that is known without calling it. Validation, documents and publishers read this one object. */
export interface PlatformRules extends PlatformBasics {
  /** Supported post types; a post of any other type is a violation. */
  post_types: Partial<Record<PostType, MediaRule>>;
  /** File limits of the service. The platform's own may be stricter: the publisher then converts the file. */
  files: Partial<Record<MediaKind, FileLimits>>;
  file_variants?: readonly FileVariant[];
  /** What the platform accepts as a picture of a post; pictures are converted to fit. Null where it accepts none. */
  pictures: PictureNeeds | null;
  /** Fields that name a picture beside the post's media, such as the cover of a video. */
  covers?: Readonly<Record<string, { limits: FileLimits; needs: PictureNeeds }>>;
  /** Limits of the post's text. All of them apply. */
  text: (draft: TextContext) => readonly TextRule[];
  /** A limit that the platform applies to some texts only: a text over it is accepted with the warning `MAY_EXCEED_LIMIT`. */
  possible_text_limit?: TextRule;
  /** Limits of the post's title; empty where the platform states none. */
  title: (draft: TextContext) => readonly TextRule[];
  /** Post types whose title the platform shows; for other types the title is not sent. */
  titled: readonly PostType[];
  /** Limits of the first comment; null where the service cannot comment on this platform. */
  comment: readonly TextRule[] | null;
  /** The platform's own text fields with a limit: `auto_truncate` shortens them. */
  text_fields: Readonly<Record<string, TextRule>>;
  /** Limit of the alt text of a picture, where the platform has no field of its own for it. */
  alt_text?: TextRule;
  /** Returns the text as it will be sent: trimmed, normalised, and truncated with `auto_truncate`. */
  shape: (draft: Draft) => string;
  /** Returns the title as it will be sent. Default: trimmed, on one line, truncated with `auto_truncate`. */
  shape_title?: (draft: Draft) => string | null;
  /** Schema entries of the platform's own post fields, by full name (`x_reply_settings`). */
  options: v.ObjectEntries;
  /** Returns the fields that were sent with legacy fields translated to current ones, before defaults are filled in. */
  current?: (sent: JsonObject) => JsonObject;
  /** Fields that every post to the platform must have. */
  required: readonly string[];
  /** Fields that have an effect on these post types only; on others they are ignored with a warning. */
  only_for: Readonly<Record<string, readonly PostType[]>>;
  /** Fields with URLs that the service fetches: a private address is refused when the post is created. */
  fetched: readonly string[];
  /** Fields that decide who sees a post or where it appears. A misspelled name of one is an error, not a warning. */
  audience_fields?: readonly string[];
  /** What `validate` checks, in words, for the documents. */
  combinations?: readonly string[];
  /**
   * Returns the violations beyond types, counts and lengths: combinations of fields, forbidden characters. `text` is
   * what `shape` returns for the draft.
   */
  validate: (draft: Draft, text: string) => readonly RuleViolation[];
  /** Returns the fields among `sent` that have no effect on this draft, beyond those of `only_for`. */
  ignored?: (draft: Draft, sent: ReadonlySet<string>) => readonly IgnoredField[];
  /** Returns reasons why the platform may reject a text that it accepts at first: each is a warning `MAY_BE_REJECTED`. */
  doubts?: (text: string) => readonly string[];
  /** True where the platform hides posts with certain hashtags: posts with a banned hashtag are refused. */
  banned_hashtags: boolean;
}
