import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { SandboxFile } from '../../local/sandbox/media/files.ts';
import { mediaApp } from '../../local/sandbox/media/serve.ts';
import { writeClip, type Clip } from './clip.ts';
import { PATIENT } from './server.ts';

export interface ClipHost {
  /** Returns the URL of a file. `/silence` never answers; what does not exist is a 404. */
  url: (name: string) => string;
  close: () => Promise<void>;
}

/** Makes clips by file name, and serves them and other files. */
export async function clipHost(
  clips: Readonly<Record<string, Clip>>,
  derive: (bytes: (name: string) => Buffer) => Readonly<Record<string, Buffer>> = () => ({}),
): Promise<ClipHost> {
  const folder = mkdtempSync(join(tmpdir(), 'clips-'));
  const files = new Map<string, Buffer>();
  for (const [name, clip] of Object.entries(clips)) {
    await writeClip(join(folder, name), clip);
    files.set(name, readFileSync(join(folder, name)));
  }
  rmSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(derive(name => files.get(name)!))) files.set(name, bytes);
  const served = new Map(
    [...files].map(([name, bytes]): [string, SandboxFile] => [
      name,
      { type: 'video/mp4', format: 'isobmff', bytes },
    ]),
  );
  const app = new Hono()
    .get('/silence', () => new Promise<Response>(() => undefined))
    .route('/', mediaApp(Promise.resolve(served)));
  const { promise: listening, resolve } = Promise.withResolvers<AddressInfo>();
  const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1', serverOptions: PATIENT };
  const server = serve(options, resolve);
  const { port } = await listening;
  return {
    url: name => `http://127.0.0.1:${port}/${name}`,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
