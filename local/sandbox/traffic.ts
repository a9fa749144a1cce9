import type { Json } from '../../shared/model/json.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { SandboxSecrets } from '../../shared/platforms/contract/sandbox.ts';
import { decodeBody, decodeResponse, type BodyKind } from './body.ts';
import { createMask } from './mask.ts';

/** One request as the platform received it, secrets masked. */
export interface TrafficRecord {
  seq: number;
  /** Time of arrival, ISO 8601. */
  at: string;
  platform: PlatformId;
  method: string;
  url: string;
  headers: Record<string, string>;
  body_kind: BodyKind;
  body: Json;
  /** Null if the platform did not receive the request. */
  status: number | null;
  response: Json;
}

export interface Exchange {
  at: number;
  platform: PlatformId;
  method: string;
  /** Real host of the platform. */
  host: string;
  path: string;
  /** Without the question mark; empty if there is none. */
  query: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Name of the function that sends it; null for other clients. */
  caller: string | null;
  response: { status: number; contentType: string; body: Buffer } | null;
}

export interface TrafficFilter {
  platform?: string | undefined;
  /** Number of a record (returns later ones) or a time (returns records from then on). */
  since?: string | undefined;
  /** Name of the function that sent the request, or a part of it. */
  function?: string | undefined;
}

export interface Traffic {
  record: (exchange: Exchange) => void;
  /** Records as lines of JSON, oldest first. */
  lines: (filter?: TrafficFilter) => string[];
  clear: () => void;
}

export interface TrafficOptions {
  maxRecords?: number;
  maxBytes?: number;
  /** Secrets of a platform in addition to the usual names. */
  secretsOf?: (platform: PlatformId) => SandboxSecrets | undefined;
}

interface StoredRecord {
  seq: number;
  at: number;
  platform: PlatformId;
  caller: string | null;
  /** JSON in UTF-8: a buffer takes exactly its bytes, outside the heap. */
  json: Buffer;
}

const MAX_RECORDS = 10_000;
const MAX_BYTES = 32 * 1024 ** 2;

/** Keeps the last requests, limited by number and bytes. `clear` does not reset the numbers, so `since` stays valid. */
export function createTraffic(options: TrafficOptions = {}): Traffic {
  const { maxRecords = MAX_RECORDS, maxBytes = MAX_BYTES, secretsOf = () => undefined } = options;
  let records: StoredRecord[] = [];
  let bytes = 0;
  let last = 0;

  function record(exchange: Exchange): void {
    last += 1;
    const { at, platform, caller } = exchange;
    const json = Buffer.from(JSON.stringify(recordOf(exchange, last, secretsOf(platform))));
    records.push({ seq: last, at, platform, caller, json });
    bytes += json.length;
    while (records.length > maxRecords || (bytes > maxBytes && records.length > 1)) {
      bytes -= records.shift()?.json.length ?? 0;
    }
  }

  return {
    record,
    lines: ({ platform, since, function: name = '' } = {}) => {
      const isNew = newerThan(since);
      return records
        .filter(one => (platform === undefined || one.platform === platform) && isNew(one))
        .filter(({ caller }) => name === '' || caller?.includes(name) === true)
        .map(({ json }) => json.toString());
    },
    clear: () => {
      records = [];
      bytes = 0;
    },
  };
}

function recordOf(
  { response, ...exchange }: Exchange,
  seq: number,
  secrets: SandboxSecrets | undefined,
): TrafficRecord {
  const { platform, method, host, path, query } = exchange;
  const mask = createMask(secrets);
  const { body_kind, body } = decodeBody(exchange.body, exchange.headers['content-type'] ?? '');
  return {
    seq,
    at: new Date(exchange.at).toISOString(),
    platform,
    method,
    url: `https://${host}${mask.path(path)}${query === '' ? '' : `?${mask.query(query)}`}`,
    headers: mask.headers(exchange.headers),
    body_kind,
    body: mask.value(body),
    status: response?.status ?? null,
    response: response ? mask.value(decodeResponse(response.body, response.contentType)) : null,
  };
}

function newerThan(since: string | undefined): (record: StoredRecord) => boolean {
  if (since === undefined || since === '') return () => true;
  if (/^\d+$/.test(since)) return ({ seq }) => seq > Number(since);
  const time = Date.parse(since);
  return ({ at }) => at >= time;
}
