import { cpus, totalmem } from 'node:os';
import { format, resolveConfig } from 'prettier';
import type { Results } from './bench.ts';
import { textOf } from './value.ts';

/** The results of one benchmark, with where and when they were measured. */
export interface Section {
  bench: string;
  summary: string;
  results: readonly Results[];
  /** Date and machine, as one sentence. */
  measured: string;
}

/** A row of the document. */
export interface Row {
  bench: string;
  title: string;
  name: string;
  value: string;
}

const INTRODUCTION = `# Benchmarks

\`npm run bench\` measures cost and speed on a local stack and writes this page; \`npm run bench -- --write full-hour\`
replaces one section. \`npm run bench -- --compare FILE\` shows what has become worse since FILE, a copy of this page.

Times depend on the machine and on what else it does: the load average is the number of processes that want a core. AWS
calls, capacity units and sizes do not depend on it. [scaling.md](scaling.md) says what the figures mean on AWS.
`;

const HEADER = ['measured', 'figure', 'value'];

/** Returns the document with this section, which replaces that of the same benchmark, in the order of `benches`. */
export async function withSection(
  document: string,
  section: Section,
  benches: readonly string[],
): Promise<string> {
  const texts = sectionTexts(document).set(section.bench, textOfSection(section));
  const ordered = benches.flatMap(bench => texts.get(bench) ?? []);
  const options = await resolveConfig(new URL('../../docs/benchmarks.md', import.meta.url));
  return format([INTRODUCTION, ...ordered].join('\n'), { ...options, parser: 'markdown' });
}

/** Returns the text of each section by benchmark. */
function sectionTexts(document: string): Map<string, string> {
  const [, ...texts] = document.split(/^(?=## )/m);
  return new Map(texts.map(text => [text.slice('## '.length, text.indexOf('\n')), text]));
}

function textOfSection({ bench, summary, results, measured }: Section): string {
  const rows = results.flatMap(({ title, values }) =>
    Object.entries(values).map(([name, value]) => [title, name, textOf(value)]),
  );
  const table = [HEADER, HEADER.map(() => '---'), ...rows].map(
    cells => `| ${cells.map(escaped).join(' | ')} |`,
  );
  return [`## ${bench}`, '', `${capitalized(summary)}. ${measured}`, '', ...table, ''].join('\n');
}

/** Returns the rows of all sections. */
export function rowsOf(document: string): Row[] {
  return [...sectionTexts(document)].flatMap(([bench, text]) =>
    text
      .split('\n')
      .filter(line => line.startsWith('|'))
      .slice(2)
      .map(line => {
        const [, title = '', name = '', value = ''] = line.split(/(?<!\\)\|/).map(unescaped);
        return { bench, title, name, value };
      }),
  );
}

const escaped = (cell: string) => cell.replaceAll('|', '\\|');
const unescaped = (cell: string) => cell.trim().replaceAll('\\|', '|');
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns date, machine and the load averages before and after a measurement as one sentence. */
export function measuredOn(date: Date, before: number, after: number): string {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  const model = processors[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown processor';
  const load = `load average ${before.toFixed(1)} before and ${after.toFixed(1)} after`;
  return (
    `Measured on ${date.toISOString().slice(0, 10)}, ${processors.length} × ${model}, ${memory}, ` +
    `Node.js ${process.version}; ${load}.`
  );
}
