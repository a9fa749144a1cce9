import { createServer, type RequestListener } from 'node:http';
import { listen, stop } from '../../local/http.ts';
import { PATIENT } from './server.ts';

/** A server from which files are fetched. */
export interface TestOrigin {
  url: string;
  close: () => Promise<void>;
}

export async function testOrigin(listener: RequestListener): Promise<TestOrigin> {
  const server = createServer(PATIENT, listener);
  return { url: await listen(server, 0), close: () => stop(server) };
}
