import type { Json, JsonObject } from '../../shared/model/json.ts';
import type { PlatformId, PostType } from '../../shared/model/platform.ts';
import { BOARD } from './pinterest.ts';

/* Where each field of the interface arrives at its platform. */

/** URLs of the files that the posts use. */
export interface WireFiles {
  photo: string;
  /** A picture with 700 pixels on each side. */
  square: string;
  clip: string;
  /** A video of 544 by 960 pixels. */
  vertical: string;
  captions: string;
}

/** A field, its value, and what the sandbox recorded of it: JSON without quotation marks. */
type FieldRow = readonly [field: string, value: Json | ((files: WireFiles) => Json), recorded: string];

export interface WirePost {
  post_type: PostType;
  /** The file for platforms without one of their own. */
  file: 'photo' | 'clip' | null;
  fields: Readonly<Partial<Record<PlatformId, readonly FieldRow[]>>>;
  /** What the post needs besides. */
  more?: JsonObject;
}

const SQUARE = ({ square }: WireFiles) => [square];
const VERTICAL = ({ vertical }: WireFiles) => [vertical];

const IMAGE: WirePost = {
  post_type: 'image',
  file: 'photo',
  fields: {
    x: [
      ['x_description', 'Words for X', 'text:Words for X'],
      ['x_alt_text', 'A picture on X', 'alt_texts:[A picture on X]'],
      ['x_reply_settings', 'following', 'reply_settings:following'],
    ],
    bluesky: [
      ['bluesky_description', 'Words for Bluesky', 'text:Words for Bluesky'],
      ['bluesky_alt_text', 'A picture on Bluesky', 'alt:A picture on Bluesky'],
      ['bluesky_langs', ['de', 'fr'], 'langs:[de,fr]'],
    ],
    telegram: [['telegram_description', 'Words for Telegram', 'caption:Words for Telegram']],
    facebook: [
      ['facebook_description', 'Words for Facebook', 'text:Words for Facebook'],
      ['facebook_media_urls', SQUARE, 'width:700'],
      ['facebook_page_id', '61550000000000003', 'account:61550000000000003'],
    ],
    instagram: [
      ['instagram_description', 'Words for Instagram', 'caption:Words for Instagram'],
      ['instagram_alt_text', 'A picture on Instagram', 'alt_text:A picture on Instagram'],
      ['instagram_collaborators', 'friend', 'collaborators:[friend]'],
      ['instagram_user_tags', 'natgeo', 'user_tags:[{username:natgeo'],
      ['instagram_location_id', '7640348500', 'location_id:7640348500'],
      ['instagram_media_urls', SQUARE, 'width:700'],
    ],
    threads: [
      ['threads_description', 'Words for Threads', 'text:Words for Threads'],
      ['threads_alt_text', 'A picture on Threads', 'alt_text:A picture on Threads'],
      ['threads_topic_tag', 'Books', 'topic_tag:Books'],
      ['threads_reply_control', 'accounts_you_follow', 'reply_control:accounts_you_follow'],
    ],
    pinterest: [
      ['pinterest_description', 'Words for Pinterest', 'description:Words for Pinterest'],
      ['pinterest_alt_text', 'A picture on Pinterest', 'alt_text:A picture on Pinterest'],
      ['pinterest_board_id', BOARD.id, `board_id:${BOARD.id}`],
      ['pinterest_board_section_id', `${BOARD.id}1`, `board_section_id:${BOARD.id}1`],
      ['pinterest_link', 'https://example.com/pin', 'link:https://example.com/pin'],
      ['pinterest_media_urls', SQUARE, 'width:700'],
    ],
    tiktok: [
      ['tiktok_description', 'Words for TikTok', 'description:Words for TikTok'],
      ['tiktok_privacy_level', 'MUTUAL_FOLLOW_FRIENDS', 'privacy_level:MUTUAL_FOLLOW_FRIENDS'],
      ['tiktok_allow_comment', true, 'disable_comment:false'],
      ['tiktok_brand_organic_toggle', true, 'brand_organic_toggle:true'],
      ['tiktok_auto_add_music', true, 'auto_add_music:true'],
      ['tiktok_media_urls', SQUARE, 'width:700'],
    ],
    linkedin: [
      ['linkedin_description', 'Words for LinkedIn', 'commentary:Words for LinkedIn'],
      ['linkedin_page_id', '2414183', 'author:urn:li:organization:2414183'],
      ['linkedin_disable_reshare', true, 'isReshareDisabledByAuthor:true'],
    ],
    gbp: [
      ['gbp_description', 'Words for Google', 'summary:Words for Google'],
      ['gbp_location_id', '20000000000000005', '/locations/20000000000000005/localPosts/'],
      ['gbp_topic_type', 'EVENT', 'topicType:EVENT'],
      ['gbp_event_title', 'Tasting', 'title:Tasting'],
      ['gbp_event_start_date', '2099-10-31', 'startDate:{year:2099,month:10,day:31}'],
      ['gbp_event_start_time', '09:30', 'startTime:{hours:9,minutes:30'],
      ['gbp_event_end_date', '2099-11-01', 'endDate:{year:2099,month:11,day:1}'],
      ['gbp_event_end_time', '17:45', 'endTime:{hours:17,minutes:45'],
      ['gbp_cta_type', 'LEARN_MORE', 'actionType:LEARN_MORE'],
      ['gbp_cta_url', 'https://example.com/more', 'url:https://example.com/more'],
      ['gbp_media_urls', SQUARE, 'width:700'],
    ],
  },
};

const SHORT_VIDEO: WirePost = {
  post_type: 'video',
  file: 'clip',
  more: { tiktok_privacy_level: 'PUBLIC_TO_EVERYONE', facebook_page_id: '61550000000000003' },
  fields: {
    facebook: [
      ['facebook_media_type', 'REELS', 'kind:reel'],
      ['facebook_media_urls', VERTICAL, 'width:544'],
    ],
    instagram: [
      ['instagram_share_to_feed', false, 'share_to_feed:false'],
      ['instagram_cover_url', ({ photo }) => photo, 'cover_sha256:'],
    ],
    tiktok: [
      ['tiktok_allow_duet', true, 'disable_duet:false'],
      ['tiktok_allow_stitch', true, 'disable_stitch:false'],
      ['tiktok_is_aigc', true, 'is_aigc:true'],
      ['tiktok_brand_content_toggle', true, 'brand_content_toggle:true'],
    ],
    snapchat: [
      ['snapchat_post_type', 'spotlight', 'kind:spotlight'],
      ['snapchat_description', 'Words for Snapchat', 'text:Words for Snapchat'],
      ['snapchat_locale', 'de-DE', 'locale:de_DE'],
      ['snapchat_skip_save_to_profile', true, 'skip_save_to_profile:true'],
      ['snapchat_media_urls', VERTICAL, 'width:544'],
    ],
    youtube: [
      ['youtube_type', 'shorts', 'https://www.youtube.com/shorts/'],
      ['youtube_media_urls', VERTICAL, 'kind:short'],
      ['youtube_description', 'Words for YouTube', 'description:Words for YouTube'],
      ['youtube_category_id', '10', 'categoryId:10'],
      ['youtube_tags', ['bread', 'sour dough'], 'tags:[bread,sour dough]'],
      ['youtube_privacy_status', 'unlisted', 'privacyStatus:unlisted'],
      ['youtube_contains_synthetic_media', true, 'containsSyntheticMedia:true'],
      ['youtube_has_paid_product_placement', true, 'hasPaidProductPlacement:true'],
      ['youtube_license', 'creativeCommon', 'license:creativeCommon'],
      ['youtube_embeddable', false, 'embeddable:false'],
      ['youtube_public_stats_viewable', false, 'publicStatsViewable:false'],
      ['youtube_default_language', 'de-CH', 'defaultLanguage:de-CH'],
      ['youtube_default_audio_language', 'en-US', 'defaultAudioLanguage:en-US'],
      ['youtube_recording_date', '2026-09-01T02:00:00+02:00', 'recordingDate:2026-09-01T00:00:00Z'],
      ['youtube_blocked_countries', ['DE'], 'regionRestriction:{blocked:[DE]}'],
    ],
  },
};

const LONG_VIDEO: WirePost = {
  post_type: 'video',
  file: 'clip',
  more: { tiktok_privacy_level: 'SELF_ONLY' },
  fields: {
    instagram: [['instagram_media_type', 'STORIES', 'media_type:STORIES']],
    tiktok: [['tiktok_post_mode', 'MEDIA_UPLOAD', 'kind:draft']],
    youtube: [
      ['youtube_self_declared_made_for_kids', true, 'selfDeclaredMadeForKids:true'],
      ['youtube_thumbnail_url', ({ photo }) => photo, 'type:image/jpeg'],
      ['youtube_caption_url', ({ captions }) => captions, 'Words for deaf viewers'],
      ['youtube_caption_language', 'fr', 'captions:[{language:fr'],
      ['youtube_playlist_id', 'PLdemoBaking', 'playlists:[PLdemoBaking]'],
      ['youtube_allowed_countries', ['AT'], 'regionRestriction:{allowed:[AT]}'],
    ],
  },
};

const LEGACY_VIDEO: WirePost = {
  post_type: 'video',
  file: 'clip',
  more: { tiktok_privacy_level: 'private' },
  fields: {
    instagram: [['instagram_thumb_offset', 1500, 'thumb_offset:1500']],
    tiktok: [
      ['tiktok_disable_comment', false, 'disable_comment:false'],
      ['tiktok_disable_duet', false, 'disable_duet:false'],
      ['tiktok_disable_stitch', false, 'disable_stitch:false'],
    ],
  },
};

const TEXT: WirePost = {
  post_type: 'text',
  file: null,
  more: { gbp_location_id: '20000000000000006', gbp_topic_type: 'OFFER', gbp_event_title: 'Sale' },
  fields: {
    linkedin: [['linkedin_visibility', 'CONNECTIONS', 'visibility:CONNECTIONS']],
    gbp: [
      ['gbp_coupon_code', 'BREAD10', 'couponCode:BREAD10'],
      ['gbp_terms', 'One each.', 'termsConditions:One each.'],
      ['gbp_redeem_url', 'https://example.com/offer', 'redeemOnlineUrl:https://example.com/offer'],
    ],
  },
};

const SAVED_STORY: WirePost = {
  post_type: 'image',
  file: 'photo',
  more: { snapchat_post_type: 'saved_story' },
  fields: { snapchat: [['snapchat_saved_story_title', 'Behind it', 'title:Behind it']] },
};

export const WIRE_POSTS: readonly WirePost[] = [
  IMAGE,
  SHORT_VIDEO,
  LONG_VIDEO,
  LEGACY_VIDEO,
  TEXT,
  SAVED_STORY,
];

/** Returns the request body of a post. */
export function wireBody({ post_type, file, fields, more }: WirePost, files: WireFiles): JsonObject {
  const rows = Object.values(fields).flat();
  return {
    post_type,
    platforms: Object.keys(fields),
    ...(file !== null && { media_urls: [files[file]] }),
    ...more,
    ...Object.fromEntries(
      rows.map(([field, value]) => [field, typeof value === 'function' ? value(files) : value]),
    ),
  };
}
