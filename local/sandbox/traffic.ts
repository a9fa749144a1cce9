import type { Json } from '../../shared/model/json.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { decodeAnswer, decodeBody, type BodyKind } from './body.ts';
import { maskHeaders, maskPath, maskQuery, maskValue } from './mask.ts';

/** One request as the platform saw it, secrets masked. */
export interface TrafficRecord {
  seq: number;
  /** When it arrived, ISO 8601. */
  at: string;
  platform: PlatformId;
  method: string;
  url: string;
  headers: Record<string, string>;
  body_kind: BodyKind;
  body: Json;
  /** Null where the platform never took the request. */
  status: number | null;
  response: Json;
}

export interface Exchange {
  at: number;
  platform: PlatformId;
  method: string;
  /** The platform's own. */
  host: string;
  path: string;
  /** Without the question mark; empty if there was none. */
  query: string;
  headers: Record<string, string>;
  body: Buffer;
  answer: { status: number; contentType: string; body: Buffer } | null;
}

export interface Traffic {
  record: (exchange: Exchange) => void;
  /** `since`: the number of a record (those after it), or a time (from then on). */
  list: (filter?: { platform?: string | undefined; since?: string | undefined }) => TrafficRecord[];
  clear: () => void;
}

const KEPT = 10_000;

/** The last 10 000 requests. Numbers go on after `clear`, so that `since` never misses one. */
export function createTraffic(kept: number = KEPT): Traffic {
  let records: TrafficRecord[] = [];
  let last = 0;

  function record(exchange: Exchange): void {
    last += 1;
    records.push(recordOf(exchange, last));
    if (records.length > kept) records.shift();
  }

  return {
    record,
    list: ({ platform, since } = {}) => {
      const isNew = newerThan(since);
      return records.filter(one => (platform === undefined || one.platform === platform) && isNew(one));
    },
    clear: () => void (records = []),
  };
}

function recordOf({ answer, ...exchange }: Exchange, seq: number): TrafficRecord {
  const { platform, method, host, path, query } = exchange;
  const { body_kind, body } = decodeBody(exchange.body, exchange.headers['content-type'] ?? '');
  return {
    seq,
    at: new Date(exchange.at).toISOString(),
    platform,
    method,
    url: `https://${host}${maskPath(platform, path)}${query === '' ? '' : `?${maskQuery(query)}`}`,
    headers: maskHeaders(exchange.headers),
    body_kind,
    body: maskValue(body),
    status: answer?.status ?? null,
    response: answer ? maskValue(decodeAnswer(answer.body, answer.contentType)) : null,
  };
}

function newerThan(since: string | undefined): (record: TrafficRecord) => boolean {
  if (since === undefined || since === '') return () => true;
  if (/^\d+$/.test(since)) return ({ seq }) => seq > Number(since);
  const time = Date.parse(since);
  return ({ at }) => Date.parse(at) >= time;
}
