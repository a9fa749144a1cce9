import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from './errors.ts';

export interface SignedRequest {
  method: string;
  /** Path and query, not decoded. */
  target: string;
  headers: IncomingHttpHeaders;
}

interface SignatureFields {
  scope: string[];
  /** `20261201T100000Z` */
  at: string;
  signedHeaders: string[];
  signature: string;
  /** Seconds that a presigned URL is valid; null for a signed header. */
  expires: number | null;
}

/** The secret access key of the local stack. */
const SECRET = 'local';
const MAX_SKEW_MS = 15 * 60 * 1000;
const MAX_EXPIRES_S = 7 * 86_400;

/**
 * Verifies a request's Signature Version 4 in its header or query, as S3 does. Throws S3Error if the signature is wrong
 * or expired.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function checkSignature(request: SignedRequest, now: number): void {
  const { query } = split(request.target);
  const fields = query.has('X-Amz-Signature')
    ? fieldsInQuery(query)
    : fieldsInHeader(request.headers.authorization ?? '', request.headers);
  checkTime(fields, now);
  const provided = Buffer.from(fields.signature);
  const calculated = Buffer.from(signatureOf(request, fields));
  if (provided.length !== calculated.length || !timingSafeEqual(provided, calculated)) {
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    );
  }
}

function fieldsInQuery(query: URLSearchParams): SignatureFields {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  return {
    scope: get('Credential').split('/').slice(1),
    at: get('Date'),
    signedHeaders: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    expires: Number(get('Expires')),
  };
}

function fieldsInHeader(header: string, headers: IncomingHttpHeaders): SignatureFields {
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

function checkTime({ at, expires }: SignatureFields, now: number): void {
  const signedAt = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(signedAt))
    throw new S3Error(403, 'AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  if (expires === null) {
    if (Math.abs(now - signedAt) <= MAX_SKEW_MS) return;
    throw new S3Error(
      403,
      'RequestTimeTooSkewed',
      'The request time differs too much from the current time.',
    );
  }
  if (!(expires > 0 && expires <= MAX_EXPIRES_S)) {
    throw new S3Error(400, 'AuthorizationQueryParametersError', 'X-Amz-Expires must be 1 to 604800 seconds');
  }
  if (now > signedAt + expires * 1000) throw new S3Error(403, 'AccessDenied', 'Request has expired');
}

function signatureOf({ method, target, headers }: SignedRequest, fields: SignatureFields): string {
  const { path, query } = split(target);
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...fields.signedHeaders.map(name => `${name}:${trimmed(headers[name])}`),
    '',
    fields.signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', fields.at, fields.scope.join('/'), digest].join('\n');
  const key = fields.scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET}`);
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
  const [path = '/', query = ''] = target.split(/\?(.*)/s);
  return { path, query: new URLSearchParams(query) };
}

const trimmed = (value: string | string[] | undefined) =>
  [value ?? ''].flat().join(',').trim().replace(/ +/g, ' ');

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
