import * as v from 'valibot';
import { defineLookup, type PlatformLookups } from '../contract/lookups.ts';
import { isUnaudited } from './app.ts';
import { CredentialsSchema } from './credentials.ts';

const described = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.description(description));

const creator = defineLookup(CredentialsSchema, {
  name: 'creator-info',
  operation_id: 'getTiktokCreatorInfo',
  method: 'GET',
  summary: 'Read what a TikTok creator may post',
  description:
    'Values for `tiktok_privacy_level` and the settings of the account, read from TikTok. Ask again for each post: its creator can change them at any time.',
  input: {},
  answer: v.object({
    creator: v.object({
      username: v.string(),
      nickname: v.string(),
      avatar_url: described(v.nullable(v.string()), 'Expires after two hours'),
    }),
    privacy_level_options: described(
      v.array(v.string()),
      'Only `SELF_ONLY` while TikTok has not audited the app',
    ),
    comment_disabled: v.boolean(),
    duet_disabled: v.boolean(),
    stitch_disabled: v.boolean(),
    max_video_post_duration_sec: described(v.number(), 'Longest video, seconds'),
  }),
  run: async ({ app, credentials }, _input, { http }) => {
    const { creatorInfo } = await import('./client.ts');
    const info = await creatorInfo({ http, token: credentials.access_token });
    const { creator_username, creator_nickname, creator_avatar_url, privacy_level_options } = info;
    return {
      creator: {
        username: creator_username,
        nickname: creator_nickname,
        avatar_url: creator_avatar_url,
      },
      privacy_level_options: isUnaudited(app)
        ? privacy_level_options.filter(level => level === 'SELF_ONLY')
        : privacy_level_options,
      comment_disabled: info.comment_disabled,
      duet_disabled: info.duet_disabled,
      stitch_disabled: info.stitch_disabled,
      max_video_post_duration_sec: info.max_video_post_duration_sec,
    };
  },
});

export const lookups: PlatformLookups = [creator];
