import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { services as ownServices, type Services } from '../runtime/services.ts';
import { notFound } from './errors.ts';
import { bodyText, rawRequest, requestState, toResult, type ApiEvent, type ApiResult } from './event.ts';
import { runOnce } from './idempotency.ts';
import { assertProfiles } from './key-scope.ts';
import { accessLog, authentication, errors, knownRoute, requestId, routing } from './middleware.ts';
import { rateLimit } from './rate-limit.ts';
import { readBody } from './read-body.ts';
import type { RawRequest, Route } from './route.ts';

export type ApiHandler = (event: ApiEvent, context: Context) => Promise<ApiResult>;

/** Returns the Lambda handler of a group of routes: the middleware stack, then the handler of the route. */
export function serve(routes: readonly Route[], services: Services = ownServices()): ApiHandler {
  return middy<ApiEvent, ApiResult>()
    .use(accessLog())
    .use(requestId())
    .use(errors())
    .use(routing(routes))
    .use(authentication(services))
    .use(rateLimit(services))
    .use(knownRoute(routes))
    .use(readBody())
    .handler(event => respond(event, services));
}

async function respond(event: ApiEvent, services: Services): Promise<ApiResult> {
  const { route } = requestState(event);
  if (!route) throw notFound();
  const request = rawRequest(event);
  await assertProfiles(services, route, request);
  // The text distinguishes requests whose body the route does not read.
  const content = request.body === undefined ? bodyText(event) : '';
  const run = (raw: RawRequest) => route.invoke(raw, services);
  return toResult(await runOnce(services, route, request, content, run));
}
