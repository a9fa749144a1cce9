import type { Json, JsonObject } from '../../../model/json.ts';
import { invalid, isObject } from './xrpc.ts';

/** A reference to a blob in a record. */
export interface BlobUse {
  cid: string;
  mimeType: string;
  size: number;
}

const IMAGE_BYTES = 2_000_000;
const THUMB_BYTES = 1_000_000;

const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const DID = /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/;
const URI = /^\w+:(?:\/\/)?[^\s/]\S*$/;
const LANGUAGE = /^(?:[a-z]{2,3}|i)(?:-[a-z0-9]+)*$/i;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Validates a record against the lexicon `app.bsky.feed.post` and returns the blobs that it uses. Like the real server it
 * accepts unknown fields, unknown types of embeds and features, and offsets beyond the text.
 */
export function checkPost(record: JsonObject): BlobUse[] {
  string(record['text'], '$.record.text', { bytes: 3000, graphemes: 300 });
  matching(
    record['createdAt'],
    DATETIME,
    'an valid atproto datetime (both RFC-3339 and ISO-8601)',
    '$.record.createdAt',
  );
  optionalList(record['langs'], '$.record.langs', 3, (lang, path) =>
    matching(lang, LANGUAGE, 'a well-formed BCP 47 language tag', path),
  );
  optionalList(record['tags'], '$.record.tags', 8, (tag, path) =>
    string(tag, path, { bytes: 640, graphemes: 64 }),
  );
  optionalList(record['facets'], '$.record.facets', Infinity, checkFacet);
  return record['embed'] === undefined ? [] : checkEmbed(record['embed'], '$.record.embed');
}

function checkFacet(facet: Json, path: string): void {
  const { index, features } = object(facet, path);
  const slice = object(index, `${path}.index`);
  integer(slice['byteStart'], `${path}.index.byteStart`, 0);
  integer(slice['byteEnd'], `${path}.index.byteEnd`, 0);
  list(features, `${path}.features`, Infinity, checkFeature);
}

function checkFeature(value: Json, path: string): void {
  const feature = object(value, path);
  switch (typeOf(feature, path)) {
    case 'app.bsky.richtext.facet#link':
      matching(feature['uri'], URI, 'a uri', `${path}.uri`);
      return;
    case 'app.bsky.richtext.facet#mention':
      matching(feature['did'], DID, 'a did', `${path}.did`);
      return;
    case 'app.bsky.richtext.facet#tag':
      string(feature['tag'], `${path}.tag`, { bytes: 640, graphemes: 64 });
  }
}

function checkEmbed(value: Json, path: string): BlobUse[] {
  const embed = object(value, path);
  switch (typeOf(embed, path)) {
    case 'app.bsky.embed.images':
      return list(embed['images'], `${path}.images`, 4, (image, at) => checkImage(image, at, false));
    case 'app.bsky.embed.gallery':
      return list(embed['items'], `${path}.items`, 20, (image, at) => checkImage(image, at, true));
    case 'app.bsky.embed.external':
      return checkExternal(object(embed['external'], `${path}.external`), `${path}.external`);
    default:
      return [];
  }
}

function checkImage(value: Json, path: string, needsRatio: boolean): BlobUse {
  const { image, alt, aspectRatio } = object(value, path);
  string(alt, `${path}.alt`);
  if (needsRatio || aspectRatio !== undefined) {
    const ratio = object(aspectRatio, `${path}.aspectRatio`);
    integer(ratio['width'], `${path}.aspectRatio.width`, 1);
    integer(ratio['height'], `${path}.aspectRatio.height`, 1);
  }
  return checkBlob(image, `${path}.image`, IMAGE_BYTES);
}

function checkExternal({ uri, title, description, thumb }: JsonObject, path: string): BlobUse[] {
  matching(uri, URI, 'a uri', `${path}.uri`);
  string(title, `${path}.title`);
  string(description, `${path}.description`);
  return thumb === undefined ? [] : [checkBlob(thumb, `${path}.thumb`, THUMB_BYTES)];
}

function checkBlob(value: Json | undefined, path: string, maxSize: number): BlobUse {
  const { $type, ref, mimeType, size } = isObject(value) ? value : {};
  const link = isObject(ref) ? ref['$link'] : undefined;
  if (
    $type !== 'blob' ||
    typeof link !== 'string' ||
    typeof mimeType !== 'string' ||
    typeof size !== 'number'
  ) {
    throw invalidRecord(`Expected a blob value`, path);
  }
  if (!mimeType.startsWith('image/')) {
    throw invalidRecord(`invalid mime type (expected image/*, got ${mimeType})`, path);
  }
  if (size > maxSize) throw invalidRecord(`blob too big (maximum ${maxSize}, got ${size})`, path);
  return { cid: link, mimeType, size };
}

function string(
  value: Json | undefined,
  path: string,
  most: { bytes: number; graphemes: number } = { bytes: Infinity, graphemes: Infinity },
): string {
  if (typeof value !== 'string')
    throw invalidRecord(`Expected string value type (got ${nameOf(value)})`, path);
  const bytes = Buffer.byteLength(value);
  if (bytes > most.bytes) throw invalidRecord(`string too big (maximum ${most.bytes}, got ${bytes})`, path);
  const graphemes = most.graphemes === Infinity ? 0 : [...segmenter.segment(value)].length;
  if (graphemes > most.graphemes) {
    throw invalidRecord(`grapheme too big (maximum ${most.graphemes}, got ${graphemes})`, path);
  }
  return value;
}

function matching(value: Json | undefined, pattern: RegExp, what: string, path: string): void {
  const text = string(value, path);
  const isInvalidDate = pattern === DATETIME && Number.isNaN(Date.parse(text));
  if (!pattern.test(text) || isInvalidDate) throw invalidRecord(`Invalid value: must be ${what}`, path);
}

function integer(value: Json | undefined, path: string, least: number): void {
  if (!Number.isInteger(value))
    throw invalidRecord(`Expected integer value type (got ${nameOf(value)})`, path);
  if (Number(value) < least)
    throw invalidRecord(`integer too small (minimum ${least}, got ${Number(value)})`, path);
}

function object(value: Json | undefined, path: string): JsonObject {
  if (!isObject(value)) throw invalidRecord(`Expected object value type (got ${nameOf(value)})`, path);
  return value;
}

function typeOf({ $type }: JsonObject, path: string): string {
  if (typeof $type !== 'string') throw invalidRecord('Expected an object with a "$type" property', path);
  return $type;
}

function list<T>(
  value: Json | undefined,
  path: string,
  most: number,
  check: (item: Json, path: string) => T,
): T[] {
  if (!Array.isArray(value)) throw invalidRecord(`Expected array value type (got ${nameOf(value)})`, path);
  if (value.length > most) throw invalidRecord(`array too big (maximum ${most}, got ${value.length})`, path);
  return value.map((item, index) => check(item, `${path}[${index}]`));
}

function optionalList(
  value: Json | undefined,
  path: string,
  most: number,
  check: (item: Json, path: string) => void,
): void {
  if (value !== undefined) list(value, path, most, check);
}

function nameOf(value: Json | undefined): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function invalidRecord(message: string, path: string) {
  return invalid(`Invalid app.bsky.feed.post record: ${message} at ${path}`);
}
