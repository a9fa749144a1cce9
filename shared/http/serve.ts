import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { services as ownServices, type Services } from '../runtime/services.ts';
import { notFound } from './errors.ts';
import { bodyText, pathBelowBase, servedOf, toResult, type ApiEvent, type ApiResult } from './event.ts';
import { answerOnce } from './idempotency.ts';
import { accessLog, authentication, errors, jsonBody, knownRoute, requestId, routing } from './middleware.ts';
import { rateLimit } from './rate-limit.ts';
import type { RawRequest, Route } from './route.ts';

export type ApiHandler = (event: ApiEvent, context: Context) => Promise<ApiResult>;

/** The Lambda of an endpoint group: one stack of middleware, then the route's own handler. */
export function serve(routes: readonly Route[], services: Services = ownServices()): ApiHandler {
  return middy<ApiEvent, ApiResult>()
    .use(accessLog())
    .use(requestId())
    .use(errors())
    .use(routing(routes))
    .use(authentication(services))
    .use(rateLimit(services))
    .use(knownRoute())
    .use(jsonBody())
    .handler(event => answer(event, services));
}

async function answer(event: ApiEvent, services: Services): Promise<ApiResult> {
  const { route, principal, request_id, body } = servedOf(event);
  if (!route) throw notFound();
  const raw: RawRequest = {
    params: present(event.pathParameters),
    query: present(event.queryStringParameters),
    body,
    principal,
    request_id,
    headers: present(event.headers),
    base_url: baseUrl(event),
  };
  const run = (request: RawRequest) => route.invoke(request, services);
  const response = await answerOnce(services, route, raw, bodyText(event), run);
  return toResult(response);
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
