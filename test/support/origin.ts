import { createServer, type RequestListener } from 'node:http';
import { listen, stop } from '../../local/http.ts';
import { PATIENT } from './server.ts';

/** A server that files are fetched from. */
export interface TestOrigin {
  url: string;
  close: () => Promise<void>;
}

export async function testOrigin(answer: RequestListener): Promise<TestOrigin> {
  const server = createServer(PATIENT, answer);
  return { url: await listen(server, 0), close: () => stop(server) };
}
