import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import { issuesOf } from '../bad-request.ts';
import { chunks, resized, sizeOf, type Piece } from './content.ts';
import type { SandboxFile } from './files.ts';

const number = (max: number) =>
  v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number'), v.toNumber(), v.maxValue(max));

const QuerySchema = v.object({
  /** Content-Type to send. */
  type: v.optional(v.string()),
  /** `off` disables ranges. */
  range: v.optional(v.picklist(['off'])),
  /** `off` omits Content-Length. */
  length: v.optional(v.picklist(['off'])),
  /** Status to send; from 300 on without the file. */
  status: v.optional(v.pipe(number(599), v.minValue(200))),
  /** URL to redirect to, or the number of redirects to the file itself before it is served. */
  redirect: v.optional(v.string()),
  /** Size of the file: padded in a way that its format allows, or truncated and thus invalid. */
  bytes: v.optional(number(1e13)),
});
type Query = v.InferOutput<typeof QuerySchema>;

const NO_BODY = [204, 205, 304];

/** Serves the media files at `GET /<name>`, with failures that the query selects. */
export function mediaApp(files: Promise<ReadonlyMap<string, SandboxFile>>): Hono {
  const app = new Hono();
  app.get('/:name', async c => {
    const all = await files;
    const file = all.get(c.req.param('name'));
    if (!file) return c.json({ error: `The file does not exist. Files: ${[...all.keys()].join(', ')}` }, 404);
    const query = v.safeParse(QuerySchema, c.req.query());
    if (!query.success)
      return c.json({ error: 'Invalid query parameters', issues: issuesOf(query.issues) }, 400);
    return serveFile(c, file, query.output);
  });
  return app;
}

function serveFile(c: Context, file: SandboxFile, query: Query): Response {
  if (query.redirect) return redirected(c, query.redirect, query.status);
  const status = query.status ?? 200;
  if (NO_BODY.includes(status)) return new Response(null, { status });
  if (status >= 300) return new Response(`Status ${status} as requested\n`, { status });
  const pieces = query.bytes === undefined ? [file.bytes] : resized(file.bytes, file.format, query.bytes);
  return serveContent(pieces, {
    type: query.type ?? file.type,
    status,
    range: query.range === 'off' ? null : (c.req.header('range') ?? ''),
    length: query.length !== 'off',
  });
}

function redirected(c: Context, redirect: string, status = 302): Response {
  const times = /^\d{1,3}$/.test(redirect) ? Number(redirect) : null;
  const next = new URL(c.req.url);
  if (times === 1) next.searchParams.delete('redirect');
  else if (times !== null) next.searchParams.set('redirect', String(times - 1));
  const location = times === null ? redirect : `${next.pathname}${next.search}`;
  return new Response(null, { status, headers: { location } });
}

export interface Serving {
  type: string;
  status?: number;
  /** The Range header; empty if there is none, null if ranges are disabled. */
  range?: string | null;
  length?: boolean;
  headers?: Record<string, string>;
}

/** Responds with the content or the requested range of it (RFC 9110, 14). */
export function serveContent(pieces: readonly Piece[], serving: Serving): Response {
  const { type, status = 200, range = '', length = true } = serving;
  const size = sizeOf(pieces);
  const headers = new Headers({ ...serving.headers, 'content-type': type });
  if (range !== null) headers.set('accept-ranges', 'bytes');
  const span = range && status === 200 ? spanOf(range, size) : null;
  if (span === 'outside') {
    headers.set('content-range', `bytes */${size}`);
    headers.delete('content-type');
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = span ?? { start: 0, end: size };
  if (span) headers.set('content-range', `bytes ${start}-${end - 1}/${size}`);
  if (length) headers.set('content-length', String(end - start));
  else headers.set('transfer-encoding', 'chunked');
  return new Response(streamOf(chunks(pieces, start, end)), { status: span ? 206 : status, headers });
}

/** One range of bytes, the end not included; null where the header asks for nothing that is understood. */
function spanOf(header: string, size: number): { start: number; end: number } | 'outside' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (first !== '' && last !== '' && Number(last) < start) return null;
  return start < end ? { start, end } : 'outside';
}

function streamOf(source: Generator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: controller => {
        const next = source.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    },
    { highWaterMark: 1 },
  );
}
