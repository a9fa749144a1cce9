import * as v from 'valibot';
import { invalid, refuse } from './access.ts';
import { privacyLevelsOf } from './creator.ts';
import { settingsOf, type TikTokAccount, type TikTokState } from './state.ts';

const MAX_TEXT = 2200;
const MAX_PHOTO_TITLE = 90;
const MAX_DESCRIPTION = 4000;

/** TikTok counts UTF-16 units, as `length` does. */
const text = (limit: number) =>
  v.exactOptional(
    v.pipe(
      v.string(),
      v.check(value => value.length <= limit, 'too long'),
    ),
  );
const flag = v.exactOptional(v.boolean());

const common = {
  privacy_level: v.exactOptional(v.string()),
  disable_comment: flag,
  brand_content_toggle: flag,
  brand_organic_toggle: flag,
};

export const VideoInfoSchema = v.strictObject({
  ...common,
  title: text(MAX_TEXT),
  disable_duet: flag,
  disable_stitch: flag,
  video_cover_timestamp_ms: v.exactOptional(v.pipe(v.number(), v.integer())),
  is_aigc: flag,
});

export const PhotoInfoSchema = v.strictObject({
  ...common,
  title: text(MAX_PHOTO_TITLE),
  description: text(MAX_DESCRIPTION),
  auto_add_music: flag,
});

type PostInfo = v.InferOutput<v.ObjectSchema<typeof common, undefined>>;

/** Ends the request where the settings of a direct post cannot be used. */
export function checkPosting(state: TikTokState, account: TikTokAccount, info: PostInfo): void {
  const { audited, toggles_required } = settingsOf(state);
  const { privacy_level: level = '', brand_content_toggle, brand_organic_toggle } = info;
  if (!privacyLevelsOf(account).includes(level)) {
    refuse(403, 'privacy_level_option_mismatch', 'Privacy level is not specified or not among the options.');
  }
  if (!audited && (level !== 'SELF_ONLY' || !account.is_private)) {
    refuse(
      403,
      'unaudited_client_can_only_post_to_private_accounts',
      'Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/',
    );
  }
  if (toggles_required && (brand_content_toggle === undefined || brand_organic_toggle === undefined)) {
    invalid('The request post info is empty or incorrect');
  }
  if (brand_content_toggle === true && level === 'SELF_ONLY') {
    invalid('Branded content cannot be private');
  }
}
