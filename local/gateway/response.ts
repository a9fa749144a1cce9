import * as v from 'valibot';
import type { InvocationResult } from '../lambda/environment.ts';

export interface GatewayResponse {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: Buffer;
}

/** Effective limit of a request body: the gateway allows 10 MB, but Lambda's 6 MB include base64 and headers. */
export const MAX_BODY_BYTES = 4_500_000;

const HeaderSchema = v.union([v.string(), v.number(), v.boolean()]);

const StructuredSchema = v.object({
  statusCode: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)),
  headers: v.optional(v.record(v.string(), HeaderSchema), {}),
  cookies: v.optional(v.array(v.string()), []),
  body: v.optional(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});

/** Converts the result of an invocation in payload format 2.0 to an HTTP response. */
export function toResponse(invocation: InvocationResult): GatewayResponse {
  if (!invocation.ok) {
    const timedOut = invocation.errorType === 'Sandbox.Timedout';
    return timedOut ? message(503, 'Service Unavailable') : message(500, 'Internal Server Error');
  }
  const parsed = v.safeParse(StructuredSchema, invocation.result);
  // A result without statusCode is the body of a 200.
  if (!parsed.success) return json(200, invocation.result);
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.output;
  return {
    status: statusCode,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    cookies,
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

export const notFound = () => message(404, 'Not Found');
export const gatewayTimeout = () => message(503, 'Service Unavailable');
export const starting = () => message(503, 'The local stack is still starting');
/** Limit of a form with a file: below that of the request, for the other parts of the form. */
const MAX_FILE_BYTES = 4 * 1024 ** 2;

/** API Gateway returns only `message`; the other members follow the API's error format to help local development. */
export function tooLarge({ pathname, href }: URL): GatewayResponse {
  const isUpload = pathname.endsWith('/upload-media');
  const limit = isUpload ? MAX_FILE_BYTES : MAX_BODY_BYTES;
  return json(413, {
    message: 'Request Entity Too Large',
    error: `The request body is larger than ${limit} bytes`,
    code: 'BODY_TOO_LARGE',
    max_bytes: limit,
    ...(isUpload && { presign_endpoint: `${href}/presign` }),
  });
}

const message = (status: number, text: string) => json(status, { message: text });

function json(status: number, value: unknown): GatewayResponse {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json' }, cookies: [], body };
}
