import twitter from 'twitter-text';
import type { Json, JsonObject } from '../../../shared/model/json.ts';
import type { PlatformId } from '../../../shared/model/platform.ts';
import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';

/** A run of text, and where it leads. */
export interface Run {
  text: string;
  href?: string;
}

/** A part of the text that is a link: from, up to (UTF-16 units), where. */
interface Link {
  start: number;
  end: number;
  href: string;
}

type Finder = (text: string, post: SandboxPost) => Link[];

/** A platform that is missing shows plain text. */
const FINDERS: Readonly<Partial<Record<PlatformId, Finder>>> = {
  x: text =>
    found(text, {
      hashtag: tag => `https://x.com/hashtag/${encodeURIComponent(tag)}`,
      screenName: name => `https://x.com/${name}`,
      cashtag: tag => `https://x.com/search?q=${encodeURIComponent(`$${tag}`)}`,
    }),
  bluesky: (text, post) => (text === post.text ? facets(text, findFacets(post.fields)) : []),
  telegram: text =>
    found(text, {
      hashtag: tag => `https://t.me/s/?q=${encodeURIComponent(`#${tag}`)}`,
      screenName: name => `https://t.me/${name}`,
    }),
};

/** A text of the post (its own, or a comment's) as the platform shows it: links, tags and mentions lead somewhere, all else is plain. */
export function richText(post: SandboxPost, text: string): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const { start, end, href } of FINDERS[post.platform]?.(text, post) ?? []) {
    if (start > at) runs.push({ text: text.slice(at, start) });
    runs.push({ text: text.slice(start, end), href });
    at = end;
  }
  if (at < text.length) runs.push({ text: text.slice(at) });
  return runs;
}

type Entity = 'hashtag' | 'screenName' | 'cashtag';

/** What the platform finds by itself in a text. */
function found(text: string, targets: Readonly<Partial<Record<Entity, (name: string) => string>>>): Link[] {
  return twitter.extractEntitiesWithIndices(text).flatMap(entity => {
    const [start, end] = entity.indices;
    const href = 'url' in entity ? absolute(entity.url) : named(entity, targets);
    return href === undefined ? [] : [{ start, end, href }];
  });
}

function named(
  entity: object,
  targets: Readonly<Partial<Record<Entity, (name: string) => string>>>,
): string | undefined {
  const values = new Map(Object.entries(entity));
  for (const kind of ['hashtag', 'screenName', 'cashtag'] as const) {
    const name: unknown = values.get(kind);
    if (typeof name === 'string') return targets[kind]?.(name);
  }
  return undefined;
}

function absolute(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url}`;
}

/** Bluesky finds nothing by itself: what is a link was said in the record, by offsets into the UTF-8 text. */
function facets(text: string, list: readonly Json[]): Link[] {
  const bytes = Buffer.from(text);
  const units = (offset: number) => bytes.toString('utf8', 0, offset).length;
  return list
    .flatMap(facet => {
      const { index, features } = objectOf(facet);
      const { byteStart, byteEnd } = objectOf(index);
      const href = Array.isArray(features) ? targetOf(objectOf(features[0])) : undefined;
      if (typeof byteStart !== 'number' || typeof byteEnd !== 'number' || href === undefined) return [];
      return [{ start: units(byteStart), end: units(byteEnd), href }];
    })
    .sort((a, b) => a.start - b.start)
    .filter((link, index, all) => link.start >= (all[index - 1]?.end ?? 0) && link.start < link.end);
}

function targetOf({ uri, tag, did }: JsonObject): string | undefined {
  if (typeof uri === 'string') return uri;
  if (typeof tag === 'string') return `https://bsky.app/hashtag/${encodeURIComponent(tag)}`;
  return typeof did === 'string' ? `https://bsky.app/profile/${did}` : undefined;
}

/** The record's facets, wherever it stands in the request. */
function findFacets(fields: JsonObject): Json[] {
  if (Array.isArray(fields['facets'])) return fields['facets'];
  for (const value of Object.values(fields)) {
    const inner = findFacets(objectOf(value));
    if (inner.length > 0) return inner;
  }
  return [];
}

function objectOf(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
