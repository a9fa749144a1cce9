import { POST_TYPES } from '../model/platform.ts';
import type { Draft, PlatformRules } from '../platforms/contract/rules.ts';
import type { PlatformStyle } from '../platforms/contract/style.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { STYLES } from '../platforms/registry/styles.ts';
import type { TextRule } from '../text/measure.ts';
import type { AiPlatform, Brief } from './brief.ts';

/** The style of a platform that captions are written for. Throws for any other. */
export function styleOf(platform: AiPlatform): PlatformStyle {
  const style = STYLES[platform];
  if (!style) throw new Error(`${platform} has no style`);
  return style;
}

/** Most hashtags that a result may have beside its caption. */
export function hashtagLimit({ type, hashtag_count }: Brief, platform: AiPlatform): number {
  return type === 'hashtags' ? hashtag_count : styleOf(platform).hashtags;
}

/** Returns a draft with nothing but this text, of a post type that the platform supports. */
export function draftOf({ post_types }: PlatformRules, description: string): Draft {
  const post_type = POST_TYPES.find(type => post_types[type] !== undefined) ?? 'text';
  return {
    post_type,
    title: null,
    description,
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    account: null,
  };
}

/** The limits of a platform's text. */
export const textRules = (platform: AiPlatform): readonly TextRule[] =>
  RULES[platform].text(draftOf(RULES[platform], ''));

/** Joins caption and hashtags as they are posted together. */
export const joinPost = (caption: string, hashtags: string) =>
  [caption, hashtags].filter(part => part !== '').join('\n\n');
