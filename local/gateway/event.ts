import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ACCOUNT } from '../template/names.ts';
import type { Match } from './routes.ts';

export interface GatewayRequest {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  sourceIp: string;
  body: Buffer;
  /** Epoch milliseconds. */
  now: number;
}

/** Content types whose bodies the gateway passes as text; all others are base64-encoded. */
const TEXT_TYPES = /^(text\/|application\/(json|javascript|xml)|[^;]+\+(json|xml))/i;

/** Converts a request to the function's event in payload format 2.0. */
export function toEvent(request: GatewayRequest, match: Match): APIGatewayProxyEventV2 {
  const { method, url, headers, body, now } = request;
  const { cookie, ...others } = headers;
  const host = headers.host ?? url.host;
  const isText = TEXT_TYPES.test(headers['content-type'] ?? 'text/plain');
  const query = joinedQuery(url.searchParams);
  return {
    version: '2.0',
    routeKey: match.route.key,
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers: { ...joinedHeaders(others), 'x-forwarded-proto': 'http', 'x-forwarded-for': request.sourceIp },
    ...(query === null ? {} : { queryStringParameters: query }),
    ...(Object.keys(match.pathParameters).length === 0 ? {} : { pathParameters: match.pathParameters }),
    requestContext: {
      accountId: ACCOUNT,
      apiId: 'local',
      domainName: host,
      domainPrefix: host.split('.')[0] ?? host,
      http: {
        method,
        path: url.pathname,
        protocol: 'HTTP/1.1',
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: match.route.key,
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function joinedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : (value ?? ''),
    ]),
  );
}

function joinedQuery(parameters: URLSearchParams): Record<string, string> | null {
  const names = [...new Set(parameters.keys())];
  if (names.length === 0) return null;
  return Object.fromEntries(names.map(name => [name, parameters.getAll(name).join(',')]));
}
