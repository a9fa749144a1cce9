import type { Json, JsonObject } from '../../../model/json.ts';
import type { SandboxPost, TextLink } from '../../contract/sandbox.ts';
import { isObject } from './xrpc.ts';

/** Bluesky links only what the record's facets say, by offsets into the UTF-8 text. */
export function facetLinks(text: string, post: SandboxPost): TextLink[] {
  if (text !== post.text) return [];
  const bytes = Buffer.from(text);
  const utf16 = (offset: number) => bytes.toString('utf8', 0, offset).length;
  return findFacets(post.fields)
    .flatMap(facet => {
      const { index, features } = objectOf(facet);
      const { byteStart, byteEnd } = objectOf(index);
      const href = Array.isArray(features) ? targetOf(objectOf(features[0])) : undefined;
      if (typeof byteStart !== 'number' || typeof byteEnd !== 'number' || href === undefined) return [];
      return [{ start: utf16(byteStart), end: utf16(byteEnd), href }];
    })
    .sort((a, b) => a.start - b.start)
    .filter((link, index, all) => link.start >= (all[index - 1]?.end ?? 0) && link.start < link.end);
}

function targetOf({ uri, tag, did }: JsonObject): string | undefined {
  if (typeof uri === 'string') return uri;
  if (typeof tag === 'string') return `https://bsky.app/hashtag/${encodeURIComponent(tag)}`;
  return typeof did === 'string' ? `https://bsky.app/profile/${did}` : undefined;
}

/** The first `facets` found in the request. */
function findFacets(fields: JsonObject): Json[] {
  if (Array.isArray(fields['facets'])) return fields['facets'];
  for (const value of Object.values(fields)) {
    const inner = findFacets(objectOf(value));
    if (inner.length > 0) return inner;
  }
  return [];
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
