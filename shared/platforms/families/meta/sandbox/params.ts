import type { Context } from 'hono';

const cache = new WeakMap<Request, Promise<Record<string, string>>>();

/** Returns the parameters of a request, wherever they are: query, form, multipart (its texts) or JSON (values as JSON text). */
export function paramsOf(c: Context): Promise<Record<string, string>> {
  const known = cache.get(c.req.raw);
  if (known) return known;
  const read = readParams(c);
  cache.set(c.req.raw, read);
  return read;
}

async function readParams(c: Context): Promise<Record<string, string>> {
  return { ...c.req.query(), ...(await bodyParams(c)) };
}

async function bodyParams(c: Context): Promise<Record<string, string>> {
  const type = c.req.header('content-type') ?? '';
  if (type.startsWith('application/json')) {
    const json: unknown = await c.req.json().catch(() => ({}));
    const entries = Object.entries(typeof json === 'object' && json !== null ? json : {});
    return Object.fromEntries(
      entries.map(([name, value]: [string, unknown]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
  }
  const isForm =
    type.startsWith('application/x-www-form-urlencoded') || type.startsWith('multipart/form-data');
  if (!isForm) return {};
  const form = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Returns the file of a multipart field; null where there is none. */
export async function fileOf(c: Context, name: string): Promise<Uint8Array | null> {
  if (!(c.req.header('content-type') ?? '').startsWith('multipart/form-data')) return null;
  const value = (await c.req.parseBody())[name];
  return value instanceof File ? new Uint8Array(await value.arrayBuffer()) : null;
}
