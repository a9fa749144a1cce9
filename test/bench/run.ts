import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { exitOnSignals } from '../support/exit-on-signals.ts';
import type { Bench, BenchOptions } from './bench.ts';
import { broadcast } from './broadcast.ts';
import { bundles } from './bundles.ts';
import { cold } from './cold.ts';
import { worseThan } from './compare.ts';
import { cost } from './cost.ts';
import { delivery } from './delivery.ts';
import { measuredOn, withSection, type Section } from './document.ts';
import { fullHour } from './full-hour.ts';
import { growth } from './growth.ts';
import { largeFiles } from './large-files.ts';
import { lateness } from './lateness.ts';
import { memory } from './memory.ts';
import { publisher } from './publisher.ts';
import { start } from './start.ts';
import { throughput } from './throughput.ts';
import { validation } from './validation.ts';
import { warm } from './warm.ts';
import { textOf } from './value.ts';
import { webhooks } from './webhooks.ts';

const BENCHES: readonly Bench[] = [
  start,
  bundles,
  validation,
  warm,
  cost,
  growth,
  throughput,
  lateness,
  cold,
  fullHour,
  publisher,
  delivery,
  webhooks,
  broadcast,
  largeFiles,
  memory,
];
const NAMES = BENCHES.map(({ name }) => name);
const DOCUMENT = new URL('../../docs/benchmarks.md', import.meta.url);

const HELP = `npm run bench [-- options] [name …]

Measures cost and speed of the service on a local stack. Times depend on the machine; AWS calls and capacity units do not.

  --write          writes the results of these benchmarks into docs/benchmarks.md
  --compare FILE   shows what is worse than in FILE, a copy of docs/benchmarks.md

Without names, all benchmarks but large-files and memory run, and without --compare their results are written:

${BENCHES.map(({ name, summary }) => `  ${name.padEnd(11)} ${summary}`).join('\n')}
`;

/** Runs one benchmark. */
async function measure({ name, summary, run }: Bench, options: BenchOptions): Promise<Section> {
  const [before = 0] = loadavg();
  const results = await run(options);
  const [after = 0] = loadavg();
  return { bench: name, summary, results, measured: measuredOn(new Date(), before, after) };
}

/** Prints the results as one table. */
function print(sections: readonly Section[]): void {
  for (const { measured } of sections.slice(0, 1)) console.log(measured);
  console.table(
    sections.flatMap(({ bench, results }) =>
      results.flatMap(({ title, values }) =>
        Object.entries(values).map(([figure, value]) => ({
          bench,
          measured: title,
          figure,
          value: textOf(value),
        })),
      ),
    ),
  );
}

async function write(section: Section): Promise<void> {
  const document = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '';
  writeFileSync(DOCUMENT, await withSection(document, section, NAMES));
}

function compare(file: string, sections: readonly Section[]): void {
  const worse = worseThan(readFileSync(file, 'utf8'), sections);
  if (worse.length === 0) console.log(`Nothing is worse than in ${file}.`);
  else console.table(worse);
}

const { values, positionals: names } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    compare: { type: 'string' },
    platform: { type: 'string' },
    size: { type: 'string' },
  },
  allowPositionals: true,
});
const isSelected = ({ name, isOptional = false }: Bench) =>
  names.length === 0 ? !isOptional : names.includes(name);
const unknown = names.filter(name => !NAMES.includes(name));
if (values.help) {
  console.log(HELP);
} else if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. See npm run bench -- --help`);
  process.exitCode = 1;
} else {
  const writes = values.write || (names.length === 0 && values.compare === undefined);
  exitOnSignals();
  const { platform, size } = values;
  const options = { platform, size: size === undefined ? undefined : Number(size) };
  const sections: Section[] = [];
  for (const bench of BENCHES.filter(isSelected)) {
    const section = await measure(bench, options);
    // At once, so that the results are kept when a later benchmark fails.
    if (writes) await write(section);
    sections.push(section);
  }
  print(sections);
  if (values.compare !== undefined) compare(values.compare, sections);
}
