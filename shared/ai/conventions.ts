import { RULES } from '../platforms/registry.ts';
import type { Draft, PlatformRules } from '../platforms/contract/rules.ts';
import { POST_TYPES } from '../model/platform.ts';
import type { TextRule } from '../text/measure.ts';
import type { AiPlatform, Brief } from './brief.ts';

/** How people write on a platform. What it allows, its rules tell. */
interface Convention {
  /** Length of a usual caption in characters. */
  aim: number;
  /** Hashtags beside a caption. */
  hashtags: number;
  /** In words, for a model. */
  style: string;
}

export const CONVENTIONS: Readonly<Record<AiPlatform, Convention>> = {
  instagram: {
    aim: 600,
    hashtags: 10,
    style: 'a strong first line, short paragraphs, a few emojis, a question or call to action at the end',
  },
  x: { aim: 200, hashtags: 2, style: 'one punchy thought in one or two sentences' },
  youtube: {
    aim: 800,
    hashtags: 5,
    style: 'a video description: what it shows in the first two lines, then details, no angle brackets',
  },
  facebook: { aim: 500, hashtags: 3, style: 'conversational, a short story, a question at the end' },
  linkedin: {
    aim: 900,
    hashtags: 4,
    style: 'a hook in the first line, single-sentence paragraphs, an insight, few emojis',
  },
  tiktok: { aim: 150, hashtags: 5, style: 'short, energetic, a hook that makes people watch' },
  threads: { aim: 300, hashtags: 1, style: 'personal and conversational, like talking to friends' },
  pinterest: {
    aim: 300,
    hashtags: 3,
    style: 'descriptive and searchable: what it is and what it is good for',
  },
  bluesky: { aim: 220, hashtags: 2, style: 'plain and witty, one thought' },
};

/** Hashtags that a result may have beside its caption. */
export function hashtagLimit({ type, hashtag_count }: Brief, platform: AiPlatform): number {
  return type === 'hashtags' ? hashtag_count : CONVENTIONS[platform].hashtags;
}

/** A post of a kind that the platform takes, with nothing but this text. */
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
  };
}

/** The limits of a platform's text. */
export const textRules = (platform: AiPlatform): readonly TextRule[] =>
  RULES[platform].text(draftOf(RULES[platform], ''));

/** Caption and hashtags as they are posted together. */
export const joined = (caption: string, hashtags: string) =>
  [caption, hashtags].filter(part => part !== '').join('\n\n');
