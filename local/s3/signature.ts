import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from './errors.ts';

export interface SignedRequest {
  method: string;
  /** Path and query as they came, undecoded. */
  target: string;
  headers: IncomingHttpHeaders;
}

interface Claim {
  scope: string[];
  /** `20261201T100000Z` */
  at: string;
  signedHeaders: string[];
  signature: string;
  /** Seconds that a presigned URL is good for; null for a signed header. */
  expires: number | null;
}

/** The one secret of the local stack, as its functions and tools have it. */
const SECRET = 'local';
const MAX_SKEW_MS = 15 * 60 * 1000;
const LONGEST_S = 7 * 86_400;

/**
 * Checks a request's Signature Version 4, in its header or its query, as S3 does: a forged one, one for other headers
 * and one that has expired are refused.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function checkSignature(request: SignedRequest, now: number): void {
  const { query } = split(request.target);
  const claim = query.has('X-Amz-Signature')
    ? claimInQuery(query)
    : claimInHeader(request.headers.authorization ?? '', request.headers);
  checkTime(claim, now);
  const given = Buffer.from(claim.signature);
  const right = Buffer.from(signatureOf(request, claim));
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    );
  }
}

function claimInQuery(query: URLSearchParams): Claim {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  return {
    scope: get('Credential').split('/').slice(1),
    at: get('Date'),
    signedHeaders: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    expires: Number(get('Expires')),
  };
}

function claimInHeader(header: string, headers: IncomingHttpHeaders): Claim {
  const part = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(header)?.[1] ?? '';
  if (!header.startsWith('AWS4-HMAC-SHA256 ')) throw new S3Error(403, 'AccessDenied', 'Access Denied');
  return {
    scope: part('Credential').split('/').slice(1),
    at: String(headers['x-amz-date'] ?? ''),
    signedHeaders: part('SignedHeaders').split(';'),
    signature: part('Signature'),
    expires: null,
  };
}

function checkTime({ at, expires }: Claim, now: number): void {
  const signedAt = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(signedAt)) throw new S3Error(403, 'AccessDenied', 'The date is not understood');
  if (expires === null) {
    if (Math.abs(now - signedAt) <= MAX_SKEW_MS) return;
    throw new S3Error(
      403,
      'RequestTimeTooSkewed',
      'The request time differs too much from the current time.',
    );
  }
  if (!(expires > 0 && expires <= LONGEST_S)) {
    throw new S3Error(400, 'AuthorizationQueryParametersError', 'X-Amz-Expires must be 1 to 604800 seconds');
  }
  if (now > signedAt + expires * 1000) throw new S3Error(403, 'AccessDenied', 'Request has expired');
}

function signatureOf({ method, target, headers }: SignedRequest, claim: Claim): string {
  const { path, query } = split(target);
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...claim.signedHeaders.map(name => `${name}:${trimmed(headers[name])}`),
    '',
    claim.signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', claim.at, claim.scope.join('/'), digest].join('\n');
  const key = claim.scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET}`);
  return createHmac('sha256', key).update(text).digest('hex');
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
}

function split(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  return { path, query: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)) };
}

const trimmed = (value: string | string[] | undefined) =>
  [value ?? ''].flat().join(',').trim().replace(/ +/g, ' ');

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
