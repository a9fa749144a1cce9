import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as v from 'valibot';

export const success = (c: Context, more: object = {}): Response =>
  c.json({ request_status: 'SUCCESS', request_id: randomUUID(), ...more });

/** Ends a request with an answer that has no body. */
export function bare(status: number, headers: Record<string, string> = {}): never {
  throw new HTTPException(status as 400, { res: new Response(null, { status, headers }) });
}

/** Ends a request with an error in the envelope. */
export function refuse(status: number, code: string | null, debug_message: string): never {
  const body = {
    request_status: 'ERROR',
    request_id: randomUUID(),
    ...(code === null ? {} : { error_code: code }),
    debug_message,
    display_message: "We're sorry, but something went wrong",
  };
  throw new HTTPException(status as 400, { res: Response.json(body, { status }) });
}

export const invalid = (message: string): never => refuse(400, null, message);

export const denied = (): never =>
  refuse(403, 'AUTHORIZATION_PERMISSION_DENIED', 'No permission on the public profile');

export const notFound = (what: string): never => refuse(404, null, `${what} not found`);

/** Parses a JSON body. Ends the request with a message that names the field. */
export async function jsonBody<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const isJson = (c.req.header('content-type') ?? '').startsWith('application/json');
  if (!isJson) return invalid('Content-Type must be application/json');
  const body: unknown = await c.req.json().catch(() => null);
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  return invalid(`Invalid field '${v.getDotPath(issue) ?? 'body'}': ${issue.message}`);
}
