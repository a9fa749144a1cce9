import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Principal } from '../model/workspace.ts';
import type { ApiResponse } from './errors.ts';
import type { RawRequest, Route } from './route.ts';

/** What the middleware finds out about a request and leaves to those after it. */
export interface Served {
  request_id: string;
  started_at: number;
  route: Route | null;
  principal: Principal | null;
  body: unknown;
  /** Headers of whatever answer it gets. */
  headers: Record<string, string>;
}

export interface ApiEvent extends APIGatewayProxyEventV2 {
  served?: Served;
}

export type ApiResult = APIGatewayProxyStructuredResultV2;

/** The state of a request; the first middleware of the stack creates it. */
export function servedOf(event: ApiEvent): Served {
  if (!event.served) throw new Error('The request was not begun by the request-id middleware');
  return event.served;
}

/** The path below the version prefix, of `/v1/…` and of the development prefix `/api/v1/…`; null elsewhere. */
export function pathBelowBase(path: string): string | null {
  return /^(?:\/api)?\/v1(\/.*)$/.exec(path)?.[1] ?? null;
}

/** The body as it was sent. */
export function bodyBytes(event: ApiEvent): Buffer {
  return Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
}

/** The body as text, undone from the gateway's base64. */
export function bodyText(event: ApiEvent): string {
  const body = event.body ?? '';
  return event.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
}

export function toResult({ status, body, raw, headers }: ApiResponse): ApiResult {
  if (raw) {
    return {
      statusCode: status,
      headers: { ...headers },
      body: Buffer.from(raw).toString('base64'),
      isBase64Encoded: true,
    };
  }
  const hasBody = body !== undefined;
  return {
    statusCode: status,
    headers: { ...(hasBody ? { 'content-type': 'application/json; charset=utf-8' } : {}), ...headers },
    body: hasBody ? JSON.stringify(body) : '',
  };
}

/** A request as a route takes it, before its validation. */
export function rawRequest(event: ApiEvent): RawRequest {
  const { principal, request_id, body } = servedOf(event);
  return {
    params: present(event.pathParameters),
    query: present(event.queryStringParameters),
    body,
    principal,
    request_id,
    headers: present(event.headers),
    base_url: baseUrl(event),
  };
}

function present(values: Record<string, string | undefined> | undefined): Record<string, string> {
  const entries = Object.entries(values ?? {});
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The base as the caller sees it: scheme, host and prefix of this very request. */
function baseUrl(event: ApiEvent): string {
  const scheme = event.headers['x-forwarded-proto'] ?? 'https';
  const below = pathBelowBase(event.rawPath) ?? '';
  const prefix = event.rawPath.slice(0, event.rawPath.length - below.length);
  return `${scheme}://${event.requestContext.domainName}${prefix}`;
}
