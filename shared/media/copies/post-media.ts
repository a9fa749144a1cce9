import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { PlatformId } from '../../model/platform.ts';
import { destinationsOf, type Post } from '../../model/post.ts';
import { draftFor, mediaFieldOf } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry.ts';

const Urls = v.array(v.string());

/** Returns the option fields of a platform that name files: its own media list, and single ones such as a cover. */
function fileFields(platform: PlatformId): string[] {
  const rules = RULES[platform];
  const ownMedia = mediaFieldOf(rules);
  return [...(ownMedia === null ? [] : [ownMedia]), ...rules.fetched];
}

/**
 * Returns every URL from which a file is fetched when the post is published, without duplicates. Files beyond the number that
 * a platform accepts are not.
 */
export function mediaUrlsOf(post: Post): string[] {
  const urls = destinationsOf(post).flatMap(({ platform }) => {
    const rules = RULES[platform];
    const single = rules.fetched.map(field => post.options[field]).filter(url => typeof url === 'string');
    return [...draftFor(rules, post).draft.media_urls, ...single];
  });
  return [...new Set(urls)];
}

/** Returns the post with every file URL replaced. */
export function withMediaUrls(post: Post, replace: (url: string) => string): Post {
  const options: JsonObject = { ...post.options };
  for (const field of destinationsOf(post).flatMap(({ platform }) => fileFields(platform))) {
    const value = options[field];
    const list = v.safeParse(Urls, value);
    if (list.success) options[field] = list.output.map(replace);
    else if (typeof value === 'string') options[field] = replace(value);
  }
  return { ...post, media_urls: post.media_urls.map(replace), options };
}
