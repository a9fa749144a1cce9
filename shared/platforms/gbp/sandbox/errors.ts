import { HTTPException } from 'hono/http-exception';
import type { JsonObject } from '../../../model/json.ts';

type Status = 400 | 401 | 403 | 404 | 409 | 429;

/** Ends a request with Google's error envelope. */
export function refuse(
  status: Status,
  rpcStatus: string,
  message: string,
  details: JsonObject[] = [],
): never {
  const error = { code: status, message, status: rpcStatus, ...(details.length > 0 ? { details } : {}) };
  throw new HTTPException(status, { res: Response.json({ error }, { status }) });
}

const INVALID = 'Request contains an invalid argument.';

/** A refusal of the API of posts: what is wrong is in the details. */
export const invalid = (problem: { code: number; message: string; field?: string; value?: string }): never =>
  refuse(400, 'INVALID_ARGUMENT', INVALID, [
    { '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError', errorDetails: [problem] },
  ]);

/** A refusal that does not say what is wrong. */
export const invalidWithoutDetails = (): never => refuse(400, 'INVALID_ARGUMENT', INVALID);

/** A refusal of the newer APIs. */
export const badRequest = (field: string, description: string): never =>
  refuse(400, 'INVALID_ARGUMENT', INVALID, [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
  ]);

export const unauthenticated = (): never =>
  refuse(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
  );

export const permissionDenied = (): never =>
  refuse(403, 'PERMISSION_DENIED', 'The caller does not have permission');

export const notFound = (): never => refuse(404, 'NOT_FOUND', 'Requested entity was not found.');

const errorInfo = (reason: string, metadata: JsonObject): JsonObject => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
});

export const insufficientScopes = (service: string): never =>
  refuse(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
    errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { service }),
  ]);

export const serviceDisabled = (service: string): never =>
  refuse(
    403,
    'PERMISSION_DENIED',
    `${service} has not been used in project 123456789012 before or it is disabled.`,
    [errorInfo('SERVICE_DISABLED', { service, consumer: 'projects/123456789012' })],
  );

/** `zero`: Google has not approved the project. */
export function quotaExceeded(service: string, quota: 'zero' | 'minute' | 'day' | 'location'): never {
  const period = quota === 'day' ? 'day' : 'minute';
  const message = `Quota exceeded for quota metric 'Requests' and limit 'Requests per ${period}' of service '${service}' for consumer 'project_number:123456789012'.`;
  const limits = { zero: '0', minute: '300', day: '10000', location: '10' };
  return refuse(429, 'RESOURCE_EXHAUSTED', message, [
    errorInfo('RATE_LIMIT_EXCEEDED', {
      service,
      consumer: 'projects/123456789012',
      quota_metric: `${service}/default_requests`,
      quota_limit:
        period === 'day' ? 'DefaultRequestsPerDayPerProject' : 'DefaultRequestsPerMinutePerProject',
      quota_limit_value: limits[quota],
      quota_unit: period === 'day' ? '1/d/{project}' : '1/min/{project}',
      quota_location: 'global',
    }),
  ]);
}

/** What Google sends for a path that it does not know. */
export const htmlNotFound = (): Response =>
  new Response(
    '<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n<p><b>404.</b> <ins>That’s an error.</ins>\n',
    { status: 404, headers: { 'content-type': 'text/html; charset=UTF-8' } },
  );
