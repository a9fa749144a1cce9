import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as v from 'valibot';

/** Ends a request with a response. */
export function refuse(status: number, body: object | null, headers: Record<string, string> = {}): never {
  const init = { status, headers };
  const res = body === null ? new Response(null, init) : Response.json(body, init);
  throw new HTTPException(status as 400, { res });
}

/** Ends a request with an error of the versioned API. */
export function badRequest(code: string, message: string): never {
  return refuse(400, {
    status: 400,
    code,
    message,
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    errorDetails: { inputErrors: [{ code, description: message, input: {} }] },
  });
}

export function unauthorized(serviceErrorCode: number, code: string, message: string): never {
  return refuse(401, { status: 401, serviceErrorCode, code, message });
}

/** `resource` names the call: `partnerApiPosts.CREATE.20260901`. */
export function denied(resource: string): never {
  const message = `Not enough permissions to access: ${resource}`;
  return refuse(403, { status: 403, serviceErrorCode: 100, code: 'ACCESS_DENIED', message });
}

/** The author or owner is not one of the token's. */
export function wrongAuthor(field: string): never {
  const message = `Field Value validation failed in REQUEST_BODY: Data Processing Exception while processing fields [/${field}]`;
  return refuse(403, { status: 403, serviceErrorCode: 100, code: 'ACCESS_DENIED', message });
}

export function notFound(message: string): never {
  return refuse(404, { status: 404, code: 'NOT_FOUND', message });
}

/** Parses the JSON body. Ends the request with 400 where it does not match the schema. */
export async function jsonBody<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  if (!/^application\/json\b/.test(c.req.header('content-type') ?? '')) {
    return badRequest('INVALID_CONTENT_TYPE', 'Content-Type must be application/json');
  }
  const body: unknown = await c.req.json().catch(() => null);
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const field = `/${(v.getDotPath(issue) ?? '').replaceAll('.', '/')}`;
  const isMissing = issue.received === 'undefined';
  return badRequest(
    isMissing ? 'MISSING_FIELD' : 'INVALID_VALUE_FOR_FIELD',
    `${field}: ${isMissing ? 'field is required but not found' : issue.message}`,
  );
}
