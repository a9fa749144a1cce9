import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { MAX_BYTES, type MediaKind } from '../../model/media.ts';
import { destinationsOf, type Post } from '../../model/post.ts';
import type { PlatformRules } from '../../platforms/contract/rules.ts';
import { fileLimitsOf } from '../../platforms/kit/files.ts';
import { LOAD_RULES } from '../../platforms/registry/load-rules.ts';

const Urls = v.array(v.string());

const rulesOf = (post: Post): Promise<PlatformRules[]> =>
  Promise.all(destinationsOf(post).map(({ platform }) => LOAD_RULES[platform]()));

/** The rules import it, too. */
const loadDrafts = () => import('../../platforms/kit/draft.ts');

/** Returns the option fields of a platform that name files: its own media list, and single ones such as a cover. */
async function fileFields(rules: PlatformRules): Promise<string[]> {
  const { mediaFieldOf } = await loadDrafts();
  const ownMedia = mediaFieldOf(rules);
  return [...(ownMedia === null ? [] : [ownMedia]), ...rules.fetched];
}

/**
 * Returns every URL from which a file is fetched when the post is published, without duplicates. Files beyond the number that
 * a platform accepts are not.
 */
export async function mediaUrlsOf(post: Post): Promise<string[]> {
  const [{ draftFor }, all] = await Promise.all([loadDrafts(), rulesOf(post)]);
  const urls = all.flatMap(rules => {
    const single = rules.fetched.map(field => post.options[field]).filter(url => typeof url === 'string');
    return [...draftFor(rules, post).draft.media_urls, ...single];
  });
  return [...new Set(urls)];
}

/**
 * Returns the most bytes of a file of each kind that any platform of a post accepts where the post names this URL; 0 for a
 * kind that none accepts there.
 */
export async function maxBytesOf(post: Post, url: string): Promise<Record<MediaKind, number>> {
  const [{ draftFor }, all] = await Promise.all([loadDrafts(), rulesOf(post)]);
  const limits = all.flatMap(rules => {
    const { draft } = draftFor(rules, post);
    const covers = Object.entries(rules.covers ?? {}).filter(([field]) => draft.options[field] === url);
    // What else a field names, such as subtitles, has limits of its own when it is read.
    const others = rules.fetched.filter(
      field => draft.options[field] === url && !Object.hasOwn(rules.covers ?? {}, field),
    );
    const kind = draft.post_type === 'text' || !draft.media_urls.includes(url) ? null : draft.post_type;
    return [
      ...covers.map(([, cover]) => ({ kind: 'image', max_bytes: cover.limits.max_bytes })),
      ...others.map(() => ({ kind: 'image', max_bytes: MAX_BYTES.image })),
      ...(kind === null ? [] : [{ kind, max_bytes: fileLimitsOf(rules, draft, kind)?.max_bytes ?? 0 }]),
    ];
  });
  const most = (kind: MediaKind) => {
    const given = limits.filter(each => each.kind === kind).map(({ max_bytes }) => max_bytes);
    return Math.min(MAX_BYTES[kind], Math.max(0, ...given));
  };
  return { image: most('image'), video: most('video'), document: most('document') };
}

/** Returns the post with every file URL replaced. */
export async function withMediaUrls(post: Post, replace: (url: string) => string): Promise<Post> {
  const options: JsonObject = { ...post.options };
  const fields = await Promise.all((await rulesOf(post)).map(fileFields));
  for (const field of fields.flat()) {
    const value = options[field];
    const list = v.safeParse(Urls, value);
    if (list.success) options[field] = list.output.map(replace);
    else if (typeof value === 'string') options[field] = replace(value);
  }
  return { ...post, media_urls: post.media_urls.map(replace), options };
}
