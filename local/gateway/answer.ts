import * as v from 'valibot';
import type { Outcome } from '../lambda/environment.ts';

export interface GatewayAnswer {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: Buffer;
}

/** What one request may carry. The gateway takes 10 MB, but Lambda 6 MB with bodies in base64 and headers beside. */
export const MAX_BODY_BYTES = 4_500_000;

const HeaderSchema = v.union([v.string(), v.number(), v.boolean()]);

const StructuredSchema = v.object({
  statusCode: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)),
  headers: v.optional(v.record(v.string(), HeaderSchema), {}),
  cookies: v.optional(v.array(v.string()), []),
  body: v.optional(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});

/** Turns a function's outcome into an answer, in payload format 2.0. */
export function toAnswer(outcome: Outcome): GatewayAnswer {
  if (!outcome.ok) {
    const late = outcome.errorType === 'Sandbox.Timedout';
    return late ? message(503, 'Service Unavailable') : message(500, 'Internal Server Error');
  }
  const parsed = v.safeParse(StructuredSchema, outcome.result);
  // An answer without a status is the body itself.
  if (!parsed.success) return json(200, outcome.result);
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
export const timedOut = () => message(503, 'Service Unavailable');
export const starting = () => message(503, 'The local stack is still starting');
/** What a form with a file may carry: less than the whole request. */
const MAX_FILE_BYTES = 4 * 1024 ** 2;

/** The real gateway says its `message` alone; here the rest is told, too, as far as the API would tell it. */
export function tooLarge({ pathname, href }: URL): GatewayAnswer {
  const isUpload = pathname.endsWith('/upload-media');
  const most = isUpload ? MAX_FILE_BYTES : MAX_BODY_BYTES;
  return json(413, {
    message: 'Request Entity Too Large',
    error: `The request body is larger than ${most} bytes`,
    code: 'BODY_TOO_LARGE',
    max_bytes: most,
    ...(isUpload && { presign_endpoint: `${href}/presign` }),
  });
}

const message = (status: number, text: string) => json(status, { message: text });

function json(status: number, value: unknown): GatewayAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json' }, cookies: [], body };
}
