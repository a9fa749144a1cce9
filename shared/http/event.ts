import { ENV } from '../aws/env.ts';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { isIdName } from '../model/id.ts';
import type { Principal } from '../model/workspace.ts';
import type { ApiResponse } from './errors.ts';
import type { RawRequest, Route } from './route.ts';

/** State of a request, filled in by the middleware in order. */
export interface RequestState {
  request_id: string;
  started_at: number;
  route: Route | null;
  principal: Principal | null;
  body: unknown;
  /** Headers of the response, whatever it is. */
  headers: Record<string, string>;
}

export interface ApiEvent extends APIGatewayProxyEventV2 {
  state?: RequestState;
}

export type ApiResult = APIGatewayProxyStructuredResultV2;

/** Returns the state of a request, which the request-id middleware creates. */
export function requestState(event: ApiEvent): RequestState {
  if (!event.state) throw new Error('The request-id middleware did not run');
  return event.state;
}

/** Returns the path below `/v1` or the development prefix `/api/v1`, or null outside of both. */
export function pathBelowBase(path: string): string | null {
  return /^(?:\/api)?\/v1(\/.*)$/.exec(path)?.[1] ?? null;
}

/** Returns the body as it was sent. */
export function bodyBytes(event: ApiEvent): Buffer {
  return Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
}

/** Returns the body as text, decoded from the gateway's base64. */
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

/** Converts an event to the request that a route validates. */
export function rawRequest(event: ApiEvent): RawRequest {
  const { principal, request_id, body } = requestState(event);
  return {
    params: paramsOf(event),
    query: defined(event.queryStringParameters),
    body,
    principal,
    request_id,
    headers: defined(event.headers),
    base_url: baseUrl(event),
  };
}

/** Path parameters. Ids may be sent in any case (RFC 9562) and are stored in lower case. */
function paramsOf({ pathParameters }: ApiEvent): Record<string, string> {
  const params = Object.entries(defined(pathParameters));
  return Object.fromEntries(
    params.map(([name, value]) => [name, isIdName(name) ? value.toLowerCase() : value]),
  );
}

function defined(values: Record<string, string | undefined> | undefined): Record<string, string> {
  const entries = Object.entries(values ?? {});
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Returns the public URL of the API where one is set, else scheme, host and prefix as the caller used them in this request. */
export function baseUrl(event: ApiEvent): string {
  const publicUrl = process.env[ENV.publicUrl];
  if (publicUrl !== undefined) return publicUrl;
  const scheme = event.headers['x-forwarded-proto'] ?? 'https';
  const below = pathBelowBase(event.rawPath) ?? '';
  const prefix = event.rawPath.slice(0, event.rawPath.length - below.length);
  return `${scheme}://${event.requestContext.domainName}${prefix}`;
}
