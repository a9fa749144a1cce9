import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../model/json.ts';

/** An error response of an XRPC server: `{"error":"Name","message":"text"}`. */
export class XrpcError extends Error {
  override readonly name = 'XrpcError';
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;
  constructor(status: number, error: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

export function invalid(message: string): XrpcError {
  return new XrpcError(400, 'InvalidRequest', message);
}

/** A request to a method. */
export interface XrpcCall {
  host: string;
  query: URLSearchParams;
  headers: Headers;
  body: Uint8Array;
}

export interface XrpcResult {
  body: JsonObject | null;
  headers?: Record<string, string>;
}

/** Limit of JSON bodies at Bluesky's servers. */
const MAX_JSON_BYTES = 1_000_000;

/** Parses the JSON object of a procedure. */
export function inputOf(call: XrpcCall): JsonObject {
  const type = call.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) {
    throw invalid(
      type ? `Wrong request encoding (Content-Type): ${type}` : 'Request encoding (Content-Type) required',
    );
  }
  if (call.body.byteLength > MAX_JSON_BYTES) {
    throw new XrpcError(413, 'PayloadTooLarge', 'request entity too large');
  }
  return parseObject(call.body);
}

/** Returns a required string of a procedure's input. */
export function text(input: JsonObject, name: string): string {
  const value = input[name];
  if (value === undefined) throw invalid(`Input must have the property "${name}"`);
  if (typeof value !== 'string') throw invalid(`Input/${name} must be a string`);
  return value;
}

/** Throws if a request has a body. */
export function refuseBody({ body }: XrpcCall): void {
  if (body.byteLength > 0) throw invalid('A request body was provided when none was expected');
}

export function parameter({ query }: XrpcCall, name: string): string {
  const value = query.get(name);
  if (value === null) throw invalid(`Params must have the property "${name}"`);
  return value;
}

function parseObject(body: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalid('Unable to parse request body');
  }
  if (!isObject(value)) throw invalid('Input must be an object');
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Serializes a value independently of the order of its keys. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value).toSorted();
  return `{${entries.map(key => `${JSON.stringify(key)}:${canonical(value[key]!)}`).join(',')}}`;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** CID (version 1, SHA-256) of bytes or of a record. */
export function cidOf(kind: 'raw' | 'record', content: Uint8Array | string): string {
  const digest = createHash('sha256').update(content).digest();
  const bytes = Buffer.concat([Buffer.from([1, kind === 'raw' ? 0x55 : 0x71, 0x12, 0x20]), digest]);
  return `b${base32(bytes)}`;
}

export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, byte => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map(group => BASE32.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}
