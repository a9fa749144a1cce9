import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give ports above these to whoever asks for any: one from there may be another's a moment later. */
const LOWEST = 15_000;
const HIGHEST = 32_000;
const TRIES = 100;

/**
 * A TCP port that was free a moment ago, for programs that cannot choose one themselves. Throws where none of many is
 * free.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port of ${TRIES} was free`);
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
