import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Principal } from '../model/workspace.ts';
import type { ApiResponse } from './errors.ts';
import type { Route } from './route.ts';

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

/** The body as text, undone from the gateway's base64. */
export function bodyText(event: ApiEvent): string {
  const body = event.body ?? '';
  return event.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
}

export function toResult(response: ApiResponse): ApiResult {
  const hasBody = response.body !== undefined;
  return {
    statusCode: response.status,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json; charset=utf-8' } : {}),
      ...response.headers,
    },
    body: hasBody ? JSON.stringify(response.body) : '',
  };
}
