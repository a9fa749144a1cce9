import type { Context, Hono } from 'hono';
import { authenticate } from '../../families/meta/sandbox/access.ts';
import { refuse } from '../../families/meta/sandbox/responses.ts';
import { processed } from './containers.ts';
import type { InstagramState } from './state.ts';

/** Resumable uploads: parameters are headers, errors have a format of their own. */
export function addUploads(app: Hono, state: InstagramState): void {
  app.post('/rupload.facebook.com/ig-api-upload/:version/:id', c => receive(c, state));
}

function fail(type: string, message: string): never {
  return refuse(400, { debug_info: { retriable: false, type, message } });
}

async function receive(c: Context, state: InstagramState): Promise<Response> {
  const token = /^OAuth (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  if (token === undefined) return fail('NotAuthorizedError', 'The header Authorization: OAuth is required');
  authenticate(state.facebook, token);
  const id = c.req.param('id') ?? '';
  const container = state.containers.get(id);
  if (!container?.awaits_upload)
    return fail('ProcessingFailedError', 'There is no upload session with this id');
  const [offset, size] = [c.req.header('offset'), c.req.header('file_size')].map(Number);
  const stored = state.uploads.get(id) ?? Buffer.alloc(0);
  if (offset !== stored.length) return fail('OffsetInvalidError', `Offset must be ${stored.length}`);
  const bytes = Buffer.concat([stored, await receivedBytes(c)]);
  state.uploads.set(id, bytes);
  if (size === undefined || Number.isNaN(size) || bytes.length !== size) {
    return fail('PartialRequestError', `Received ${bytes.length} of ${size} bytes`);
  }
  state.uploads.delete(id);
  const file = await state.host.storeMedia(bytes);
  state.containers.set(id, processed(state, { ...container, file }));
  return c.json({ success: true, message: 'Upload successful.' });
}

/** Returns the bytes that arrived, also where the connection broke before the end. */
async function receivedBytes(c: Context): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const body: ReadableStream<Uint8Array> | null = c.req.raw.body;
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      chunks.push(part.value);
    }
  } catch {
    // What arrived is kept.
  }
  return Buffer.concat(chunks);
}
