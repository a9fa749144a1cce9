import type { IncomingMessage, Server } from 'node:http';

/** Listens on the loopback address and gives the URL. Throws a clear error when the port is taken. */
export function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new Error(`Port ${port} is in use. Choose another with --port, or 0 for any.`) : error);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = address !== null && typeof address === 'object' ? address.port : port;
      resolve(`http://127.0.0.1:${bound}`);
    });
  });
}

export function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise(resolve => server.close(() => resolve()));
}

/** How much of a body that is too large is still read, so that its sender hears the answer before the end. */
const MOST_DRAINED = 64 * 1024 * 1024;

/** Reads a body whole; null where it is over the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer>;
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null>;
export async function readBody(
  request: IncomingMessage,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: unknown = chunk;
    if (!Buffer.isBuffer(bytes)) continue;
    size += bytes.length;
    if (size <= maxBytes) chunks.push(bytes);
    else if (size > maxBytes + MOST_DRAINED) break;
  }
  return size > maxBytes ? null : Buffer.concat(chunks);
}
