import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectedProfiles } from '../support/profiles.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { lateBy, more, quantile } from './value.ts';
import { createPosts, settled, textPost } from './posts.ts';

const POSTS = 150;
const RESPONSIVE = 3;
/** Maximum p95 in milliseconds of first attempts to responsive receivers. */
const MAX_P95_MS = 3_000;

/**
 * Time from publication to the first delivery of its event, without and with as many receivers that never respond. Fails
 * when the p95 of the responsive receivers is too late.
 */
export const webhooks: Bench = {
  name: 'webhooks',
  summary: 'delay of events while other receivers hang',
  run: async () => [
    await onStack(stack => measure(stack, 0)),
    await onStack(stack => measure(stack, RESPONSIVE)),
  ],
};

async function measure(stack: TestStack, hanging: number): Promise<Results> {
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
    for (let i = 0; i < RESPONSIVE + hanging; i += 1) {
      const url = `http://127.0.0.1:${port}/${i < hanging ? 'hangs' : 'responds'}`;
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
    const expected = POSTS * RESPONSIVE;
    await stack.until(
      'every responsive receiver has every event',
      () => Promise.resolve(waits.length >= expected),
      120_000,
    );
    const sorted = waits.toSorted((a, b) => a - b);
    const p95 = quantile(sorted, 0.95);
    if (p95 > MAX_P95_MS) throw new Error(`The p95 is over ${MAX_P95_MS} ms`);
    return {
      title: `First attempts of ${POSTS} events to ${RESPONSIVE} responsive and ${hanging} hanging receivers`,
      values: {
        events: more(POSTS / seconds, 'a second', 1),
        'sent to responsive receivers': String(waits.length),
        'sent to hanging receivers': String(hung),
        ...lateBy(sorted),
      },
    };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
