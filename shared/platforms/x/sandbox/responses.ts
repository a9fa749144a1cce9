import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as v from 'valibot';

type Status = 400 | 401 | 402 | 403 | 404 | 413 | 415 | 429;

/** Ends a request with an error response. */
export function refuse(status: Status, body: object | null): never {
  const res = body === null ? new Response(null, { status }) : Response.json(body, { status });
  throw new HTTPException(status, { res });
}

export function invalidRequest(message: string): never {
  return refuse(400, {
    errors: [{ parameters: {}, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'https://api.x.com/2/problems/invalid-request',
  });
}

export function notFound(what: string, id: string): never {
  return refuse(404, {
    title: 'Not Found Error',
    detail: `Could not find ${what} with id: [${id}].`,
    type: 'https://api.x.com/2/problems/resource-not-found',
    resource_type: what,
    resource_id: id,
    status: 404,
  });
}

/** Ends a request with a problem object (RFC 9457) without a type. */
export function problem(status: Status, title: string, detail: string): never {
  return refuse(status, { title, type: 'about:blank', status, detail });
}

export const forbidden = (detail: string) => problem(403, 'Forbidden', detail);

export const unauthorized = () => problem(401, 'Unauthorized', 'Unauthorized');

/** Parses the JSON body. Ends the request with 400 if it does not match the schema. */
export async function jsonBody<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const parsed = v.safeParse(schema, await jsonObject(c));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  return invalidRequest(`$.${v.getDotPath(issue) ?? ''}: ${issue.message}`);
}

export async function jsonObject(c: Context): Promise<object> {
  const isJson = /^application\/json\b/.test(c.req.header('content-type') ?? '');
  const body: unknown = isJson ? await c.req.json().catch(() => null) : null;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalidRequest('Request body must be a JSON object.');
  }
  return body;
}
