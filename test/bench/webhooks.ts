import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectedProfiles } from '../support/profiles.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, quantile, report, type Bench } from './bench.ts';
import { createPosts, settled, textPost } from './posts.ts';

const POSTS = 150;
const ANSWERING = 3;
/** What receivers that answer are promised, whatever others do: the p95 of the first attempts, milliseconds. */
const PROMISE_MS = 3_000;

/**
 * How long after its publication an event is first sent, alone and while half the receivers never answer: each event
 * goes to all of them, and the answering ones tell when it came. Fails where that is later than promised.
 */
export const webhooks: Bench = {
  name: 'webhooks',
  run: async () => {
    await onStack(stack => measure(stack, 0));
    await onStack(stack => measure(stack, ANSWERING));
  },
};

async function measure(stack: TestStack, hanging: number): Promise<void> {
  const waits: number[] = [];
  let hung = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/hangs') return void (hung += 1);
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { data: { published_at: string } };
      waits.push(Date.now() - Date.parse(event.data.published_at));
      response.end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (let i = 0; i < ANSWERING + hanging; i += 1) {
      const url = `http://127.0.0.1:${port}/${i < hanging ? 'hangs' : 'answers'}`;
      await stack.api('POST', '/webhooks', { url, events: ['post.published'] });
    }
    const names = Array.from({ length: 10 }, (_, i) => `Bench ${i + 1}`);
    await connectedProfiles(stack, names, ['bluesky']);
    const bodies = Array.from({ length: POSTS }, (_, i) =>
      textPost(i, names[i % names.length]!, ['bluesky']),
    );
    const begun = Date.now();
    await settled(stack, await createPosts(stack, bodies));
    const seconds = (Date.now() - begun) / 1000;
    const expected = POSTS * ANSWERING;
    await stack.until(
      'every answering receiver has every event',
      () => Promise.resolve(waits.length >= expected),
      120_000,
    );
    const sorted = waits.toSorted((a, b) => a - b);
    const p95 = quantile(sorted, 0.95);
    report(
      `First attempts of ${POSTS} events to ${ANSWERING} receivers that answer and ${hanging} that hang`,
      {
        'events a second': (POSTS / seconds).toFixed(1),
        'sent, to those that answer': String(waits.length),
        'sent, to those that hang': String(hung),
        p50: `${quantile(sorted, 0.5)} ms`,
        p95: `${p95} ms`,
        p99: `${quantile(sorted, 0.99)} ms`,
        latest: `${sorted.at(-1) ?? Number.NaN} ms`,
      },
    );
    if (p95 > PROMISE_MS) throw new Error(`The p95 is over ${PROMISE_MS} ms`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
