import type { IncomingMessage, Server } from 'node:http';

/** Listens on 127.0.0.1 and returns the URL. Rejects with a clear message if the port is in use. */
export function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken
          ? new Error(`Port ${port} is in use. Choose another with --port, or 0 for any free port.`)
          : error,
      );
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

/** Bytes of an oversized body that are read and discarded, so that its sender receives the response. */
const MAX_DISCARDED = 64 * 1024 * 1024;

/** Reads a whole request body; null if it exceeds `maxBytes`. */
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
    else if (size > maxBytes + MAX_DISCARDED) break;
  }
  return size > maxBytes ? null : Buffer.concat(chunks);
}
