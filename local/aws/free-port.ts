import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral range, from which the system may give a port to another program at any moment. */
const LOWEST = 15_000;
const HIGHEST = 32_000;
const MAX_ATTEMPTS = 100;

/**
 * Returns a TCP port that is free right now, for programs that cannot bind port 0. Throws if none of 100 random ports is
 * free.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${MAX_ATTEMPTS} random ports was free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
