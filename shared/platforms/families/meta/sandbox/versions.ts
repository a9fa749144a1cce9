import type { Context, Hono } from 'hono';
import { graphErrorBody } from './responses.ts';

const OLDEST = 21;
const NEWEST = 26;

/**
 * Serves `/<host>/<version>/<path>` by the routes `/<host>/<path>` of `api`. Expired and missing versions are served by
 * the oldest living one, versions that do not exist yet are refused.
 */
export function serveVersions(app: Hono, api: Hono, hosts: readonly string[]): void {
  for (const host of hosts) app.all(`/${host}/*`, c => serve(c, api, host));
}

async function serve(c: Context, api: Hono, host: string): Promise<Response> {
  const url = new URL(c.req.url);
  const path = url.pathname.slice(url.pathname.indexOf(`/${host}/`) + host.length + 1);
  const named = /^\/v(\d+)\.\d+(?=\/)/.exec(path);
  const version = named ? Math.max(OLDEST, Number(named[1])) : OLDEST;
  const rest = named ? path.slice(named[0].length) : path;
  if (version > NEWEST) {
    const error = { code: 2500, message: `Unknown path components: ${rest}` };
    return Response.json(graphErrorBody(error), { status: 400 });
  }
  url.pathname = `/${host}${rest}`;
  const response = await api.fetch(new Request(url, c.req.raw));
  response.headers.set('facebook-api-version', `v${version}.0`);
  return response;
}
