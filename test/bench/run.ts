import { parseArgs } from 'node:util';
import { ai } from './ai.ts';
import type { Bench } from './bench.ts';
import { broadcast } from './broadcast.ts';
import { bundles } from './bundles.ts';
import { cost } from './cost.ts';
import { growth } from './growth.ts';
import { largeFiles } from './large-files.ts';
import { lateness } from './lateness.ts';
import { start } from './start.ts';
import { throughput } from './throughput.ts';
import { validation } from './validation.ts';
import { webhooks } from './webhooks.ts';

const BENCHES: readonly Bench[] = [
  start,
  bundles,
  ai,
  validation,
  cost,
  growth,
  throughput,
  lateness,
  webhooks,
  broadcast,
  largeFiles,
];

const HELP = `npm run bench [-- name …]

Measures cost and speed of the service on a local stack. Times depend on the machine; AWS calls and capacity units do not.
Without names, all benchmarks run:

${BENCHES.map(({ name, summary }) => `  ${name.padEnd(11)} ${summary}`).join('\n')}
`;

const { values, positionals: names } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    platform: { type: 'string' },
    size: { type: 'string' },
  },
  allowPositionals: true,
});
const unknown = names.filter(name => !BENCHES.some(bench => bench.name === name));
if (values.help) {
  console.log(HELP);
} else if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. See npm run bench -- --help`);
  process.exitCode = 1;
} else {
  const selected = names.length === 0 ? BENCHES : BENCHES.filter(({ name }) => names.includes(name));
  const { platform, size } = values;
  const options = { platform, size: size === undefined ? undefined : Number(size) };
  for (const bench of selected) await bench.run(options);
}
