import * as v from 'valibot';
import { JsonSchema, type Json, type JsonObject } from '../../shared/model/json.ts';

export type BodyKind = 'json' | 'form' | 'multipart' | 'binary' | 'none';

export interface DecodedBody {
  body_kind: BodyKind;
  body: Json;
}

/** Decodes a request body by its content type. Files are replaced by their size. */
export function decodeBody(bytes: Buffer, contentType: string): DecodedBody {
  if (bytes.length === 0) return { body_kind: 'none', body: null };
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^application\/(.+\+)?json$/.test(type)) return { body_kind: 'json', body: jsonOrText(bytes) };
  if (type === 'application/x-www-form-urlencoded') return { body_kind: 'form', body: formFields(bytes) };
  if (type.startsWith('multipart/')) return { body_kind: 'multipart', body: multipart(bytes, contentType) };
  return { body_kind: 'binary', body: { size: bytes.length } };
}

/** Decodes a response body: JSON, text, the size of a file, or null if it is empty. */
export function decodeResponse(bytes: Buffer, contentType: string): Json {
  if (bytes.length === 0) return null;
  if (/json/i.test(contentType)) return jsonOrText(bytes);
  return contentType === '' || /^text\/|xml/i.test(contentType) ? bytes.toString() : { size: bytes.length };
}

function jsonOrText(bytes: Buffer): Json {
  const text = bytes.toString();
  try {
    return v.parse(JsonSchema, JSON.parse(text));
  } catch {
    return text;
  }
}

function formFields(bytes: Buffer): JsonObject {
  return collected([...new URLSearchParams(bytes.toString())]);
}

/** Values by name; repeated names have an array. */
function collected(entries: readonly (readonly [string, Json])[]): JsonObject {
  const lists = new Map<string, Json[]>();
  for (const [name, value] of entries) lists.set(name, [...(lists.get(name) ?? []), value]);
  return Object.fromEntries(
    [...lists].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? null)]),
  );
}

interface Part {
  name: string | null;
  filename: string | null;
  content_type: string | null;
  content: Buffer;
}

/** Parts by name: text, or a description of the file. Parts without names (multipart/related) are an array. */
function multipart(bytes: Buffer, contentType: string): Json {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const parts = partsOf(bytes, boundary?.[1] ?? boundary?.[2] ?? '');
  const entries = parts.map((part): [string | null, Json] => [part.name, partValue(part)]);
  const named = entries.flatMap(([name, value]) => (name === null ? [] : [[name, value] as const]));
  if (named.length === entries.length) return collected(named);
  return parts.map(part => {
    const value = partValue(part);
    return typeof value === 'string' ? { ...partHeaders(part), value } : value;
  });
}

function partValue(part: Part): Json {
  const isText =
    part.filename === null && /^(text\/plain|application\/json|$)/i.test(part.content_type ?? '');
  return isText ? part.content.toString() : { ...partHeaders(part), size: part.content.length };
}

function partHeaders({ name, filename, content_type }: Part): JsonObject {
  return { ...(name === null ? {} : { name }), ...(filename === null ? {} : { filename }), content_type };
}

/** The parts between the boundaries (RFC 2046, 5.1). */
function partsOf(bytes: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const whole = Buffer.concat([Buffer.from('\r\n'), bytes]);
  const parts: Part[] = [];
  let at = whole.indexOf(delimiter);
  while (boundary !== '' && at >= 0) {
    const next = whole.indexOf(delimiter, at + delimiter.length);
    if (next < 0) break;
    const part = parsePart(whole.subarray(at + delimiter.length, next));
    if (part) parts.push(part);
    at = next;
  }
  return parts;
}

/** `section` starts with the rest of the delimiter line. */
function parsePart(section: Buffer): Part | null {
  const headEnd = section.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = section.toString('utf8', 0, headEnd);
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
  return {
    name: /[;\s]name="([^"]*)"/i.exec(disposition)?.[1] ?? null,
    filename: /[;\s]filename="([^"]*)"/i.exec(disposition)?.[1] ?? null,
    content_type: /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1] ?? null,
    content: section.subarray(headEnd + 4),
  };
}
