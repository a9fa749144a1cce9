import { HTTPException } from 'hono/http-exception';

export type Status = 400 | 401 | 403 | 404 | 409 | 410 | 411 | 429;

interface Detail {
  domain?: string;
  location?: string;
  locationType?: 'parameter' | 'header' | 'other';
  /** Message in `errors`, where it differs from the one above. */
  message?: string;
  status?: string;
  details?: object[];
  extendedHelp?: string;
}

/** Ends a request with any response. */
export function end(status: Status, body: object | string, headers: Record<string, string> = {}): never {
  const res =
    typeof body === 'string'
      ? new Response(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
      : Response.json(body, { status, headers });
  throw new HTTPException(status, { res });
}

/** Ends a request with the error envelope of the Data API. */
export function refuse(status: Status, reason: string, message: string, more: Detail = {}): never {
  const { domain = 'youtube', location, locationType, status: name, details, extendedHelp } = more;
  const error = {
    message: more.message ?? message,
    domain,
    reason,
    ...(location === undefined ? {} : { location, locationType: locationType ?? 'other' }),
    ...(extendedHelp === undefined ? {} : { extendedHelp }),
  };
  return end(status, {
    error: {
      code: status,
      message,
      errors: [error],
      ...(name === undefined ? {} : { status: name }),
      ...(details === undefined ? {} : { details }),
    },
  });
}

/** A parameter that is missing or has an unusable value. */
export const badParameter = (reason: string, location: string, message: string) =>
  refuse(400, reason, message, { domain: 'youtube.parameter', location, locationType: 'parameter' });

/** Metadata of a video that YouTube does not accept. */
export const badVideo = (reason: string, what: string, location: string) =>
  refuse(400, reason, `The request metadata specifies an invalid video ${what}.`, {
    domain: 'youtube.video',
    location: `body.${location}`,
  });

export const unauthorized = () =>
  refuse(
    401,
    'authError',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    {
      domain: 'global',
      location: 'Authorization',
      locationType: 'header',
      message: 'Invalid Credentials',
      status: 'UNAUTHENTICATED',
    },
  );

export const insufficientScopes = (method: string) =>
  refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {
    domain: 'global',
    message: 'Insufficient Permission',
    status: 'PERMISSION_DENIED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
        metadata: { service: 'youtube.googleapis.com', method },
      },
    ],
  });

export const signupRequired = () =>
  refuse(401, 'youtubeSignupRequired', 'Unauthorized', {
    domain: 'youtube.header',
    location: 'Authorization',
    locationType: 'header',
  });

export const videoNotFound = (domain = 'youtube.video', location = 'videoId') =>
  refuse(
    404,
    'videoNotFound',
    `The video that you are trying to use cannot be found. Check the value of the request's <code>${location}</code> parameter to ensure that it is correct.`,
    { domain, location, locationType: 'parameter' },
  );

export const quotaExceeded = () =>
  refuse(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    { domain: 'youtube.quota' },
  );

const UPLOADS_PER_DAY =
  "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:123456789012'.";

/** The separate bucket of uploads; Google sends it with and without `status` and `details`. */
export const uploadsExhausted = (withDetails: boolean) =>
  refuse(429, 'rateLimitExceeded', UPLOADS_PER_DAY, {
    domain: 'global',
    ...(withDetails
      ? {
          status: 'RESOURCE_EXHAUSTED',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'RATE_LIMIT_EXCEEDED',
              domain: 'googleapis.com',
              metadata: {
                service: 'youtube.googleapis.com',
                consumer: 'projects/123456789012',
                quota_limit_value: '100',
                quota_unit: '1/d/{project}',
              },
            },
          ],
        }
      : {}),
  });

/** Google's front end answers a POST or PUT without a length with a page. */
export const lengthRequired = () =>
  end(411, '<!DOCTYPE html><html lang=en><title>Error 411 (Length Required)!!1</title></html>', {
    'content-type': 'text/html; charset=UTF-8',
  });
