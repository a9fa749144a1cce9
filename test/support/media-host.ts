import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { makeFiles } from '../../local/sandbox/media/files.ts';
import { mediaApp } from '../../local/sandbox/media/serve.ts';
import { createHttpClient, type HttpClient } from '../../shared/net/http.ts';
import { PATIENT } from './server.ts';

export interface MediaHost {
  /** Base URL of the sandbox's files: `${url}/photo.jpg?range=off`. */
  url: string;
  /** A guarded client that may reach loopback. */
  http: HttpClient;
  close: () => Promise<void>;
}

/** Serves the sandbox's media files on a port of their own. */
export async function mediaHost(): Promise<MediaHost> {
  const { promise: listening, resolve } = Promise.withResolvers<AddressInfo>();
  const { fetch } = mediaApp(makeFiles());
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1', serverOptions: PATIENT }, resolve);
  const { port } = await listening;
  const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  return {
    url: `http://127.0.0.1:${port}`,
    http,
    close: () => {
      http.close();
      return new Promise(done => server.close(() => done()));
    },
  };
}
