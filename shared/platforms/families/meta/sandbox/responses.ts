import { randomBytes } from 'node:crypto';
import { HTTPException } from 'hono/http-exception';

type Status = 400 | 401 | 403 | 404 | 500 | 503;

/** Ends a request with an error response. */
export function refuse(status: Status, body: object, headers: Record<string, string> = {}): never {
  throw new HTTPException(status, { res: Response.json(body, { status, headers }) });
}

export interface GraphErrorBody {
  status?: Status;
  message: string;
  code: number;
  subcode?: number;
  type?: string;
  is_transient?: boolean;
  title?: string;
  user_message?: string;
  data?: object;
  headers?: Record<string, string>;
}

/** The body of a Graph error. */
export function graphErrorBody(error: GraphErrorBody): object {
  return {
    error: {
      message: error.message,
      type: error.type ?? 'OAuthException',
      code: error.code,
      ...(error.subcode === undefined ? {} : { error_subcode: error.subcode }),
      ...(error.is_transient === undefined ? {} : { is_transient: error.is_transient }),
      ...(error.title === undefined ? {} : { error_user_title: error.title }),
      ...(error.user_message === undefined ? {} : { error_user_msg: error.user_message }),
      ...(error.data === undefined ? {} : { error_data: error.data }),
      fbtrace_id: `A${randomBytes(8).toString('base64url')}`,
    },
  };
}

/** Ends a request with a Graph error. */
export function graphError(error: GraphErrorBody): never {
  return refuse(error.status ?? 400, graphErrorBody(error), error.headers);
}

export const invalidParameter = (message: string, more: Partial<GraphErrorBody> = {}) =>
  graphError({ code: 100, message: `(#100) ${message}`, ...more });

export const unknownObject = (id: string, method: string) =>
  graphError({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
  });

export const missingPermission = (permissions: readonly string[]) =>
  graphError({
    status: 403,
    code: 200,
    message: `(#200) Requires ${permissions.join(' and ')} permission to manage the object`,
  });

/** Ends a request to a token endpoint of Instagram or Threads with its own error format. */
export const oauthError = (message: string) =>
  refuse(400, { error_type: 'OAuthException', code: 400, error_message: message });
