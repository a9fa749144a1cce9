import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';

/* A decoder process that misbehaves as its URL says. */

const input = createInterface({ input: process.stdin });
input.once('line', line => {
  const { url, format } = JSON.parse(line);
  const tick = Buffer.alloc((format.width * format.height * 3) / 2 + (48_000 / format.fps) * 4, 1);
  if (url !== 'silent') writeSync(3, tick);
  if (url === 'greedy') globalThis.memory = Buffer.alloc(250e6, 1);
  if (url === 'crashing') process.abort();
});
