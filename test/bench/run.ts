import { ai } from './ai.ts';
import type { Bench } from './bench.ts';
import { bundles } from './bundles.ts';
import { checking } from './checking.ts';
import { cost } from './cost.ts';
import { growth } from './growth.ts';
import { lateness } from './lateness.ts';
import { start } from './start.ts';
import { throughput } from './throughput.ts';
import { webhooks } from './webhooks.ts';

/*
 * `npm run bench [-- name …]`: what the service costs and how fast it is, measured on the local stack of this machine.
 * Times depend on the machine; the calls and units behind the prices do not.
 */
const BENCHES: readonly Bench[] = [
  start,
  bundles,
  ai,
  checking,
  cost,
  growth,
  throughput,
  lateness,
  webhooks,
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => !BENCHES.some(bench => bench.name === name));
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. There are: ${BENCHES.map(({ name }) => name).join(', ')}`,
  );
  process.exit(1);
}
for (const bench of BENCHES.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
  await bench.run();
