import * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { mediaFieldOf } from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry.ts';
import type { PlatformId } from '../model/platform.ts';

const Urls = v.array(v.string());

/** The option fields of a platform that name files: its own media, and single ones such as a cover. */
function fileFields(platform: PlatformId): string[] {
  const rules = RULES[platform];
  const own = mediaFieldOf(rules);
  return [...(own === null ? [] : [own]), ...rules.fetched];
}

/** Every URL of a post from which a file is fetched when it is published, each once. */
export function mediaUrlsOf(post: Post): string[] {
  const fields = destinationsOf(post).flatMap(({ platform }) => fileFields(platform));
  const inFields = fields.flatMap(field => {
    const value = post.options[field];
    const list = v.safeParse(Urls, value);
    return list.success ? list.output : typeof value === 'string' ? [value] : [];
  });
  return [...new Set([...post.media_urls, ...inFields])];
}

/** The post with other URLs in the place of its own. */
export function withMediaUrls(post: Post, other: (url: string) => string): Post {
  const options: JsonObject = { ...post.options };
  for (const field of destinationsOf(post).flatMap(({ platform }) => fileFields(platform))) {
    const value = options[field];
    const list = v.safeParse(Urls, value);
    if (list.success) options[field] = list.output.map(other);
    else if (typeof value === 'string') options[field] = other(value);
  }
  return { ...post, media_urls: post.media_urls.map(other), options };
}
