import type { PlatformId, PostType } from '../model/platform.ts';
import type { Connection } from '../model/profile.ts';
import type { Draft, PlatformRules, RuleViolation } from '../platforms/contract/rules.ts';
import {
  descriptionFor,
  draftFor,
  mediaFor,
  textsFor,
  type PostContent,
  type SentTexts,
} from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry/rules.ts';
import type { Candidate } from './input/read.ts';

/** A post as one of its platforms will get it. Computed once per request; every rule and every warning reads it. */
export interface PlatformPost {
  rules: PlatformRules;
  draft: Draft;
  texts: SentTexts;
  /** Options that do not pass their schema; the draft is without them. */
  option_violations: readonly RuleViolation[];
  /** The field that holds the description: `description` or the platform's own. */
  description_field: string;
  /** The field that names the media: `media_urls` or the platform's own. */
  media_field: string;
  /** Number of files that the field names; the draft holds no more than the platform accepts. */
  media_count: number;
}

/** Returns the content of a candidate; null while its post type is not known. */
export function contentOf(candidate: Candidate): PostContent | null {
  const { post_type } = candidate;
  if (post_type === null) return null;
  return {
    post_type,
    title: candidate.title,
    description: candidate.description,
    media_urls: candidate.media_urls,
    media_alt_texts: candidate.media_alt_texts,
    first_comment: candidate.first_comment,
    auto_truncate: candidate.auto_truncate,
    options: candidate.options,
  };
}

/** Returns a candidate as each platform that supports its type will get it; empty while its post type is not known. */
export function platformPosts(candidate: Candidate, connections: readonly Connection[]): PlatformPost[] {
  const content = contentOf(candidate);
  if (content === null) return [];
  return candidate.platforms
    .filter(platform => supports(platform, content.post_type))
    .map(platform => {
      const connection = connections.find(each => each.platform === platform) ?? null;
      return platformPost(RULES[platform], content, connection);
    });
}

export const supports = (platform: PlatformId, type: PostType): boolean =>
  RULES[platform].post_types[type] !== undefined;

function platformPost(rules: PlatformRules, content: PostContent, account: Connection | null): PlatformPost {
  const { draft, violations } = draftFor(rules, content, account);
  const media = mediaFor(rules, content);
  return {
    rules,
    draft,
    texts: textsFor(rules, draft),
    option_violations: violations,
    description_field: descriptionFor(rules, content).field,
    media_field: media.field,
    media_count: media.urls.length,
  };
}
