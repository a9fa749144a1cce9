import { SCENARIO_NAMES } from './injected-faults.ts';
import { MAX_MESSAGES } from './messages.ts';
import type { Report } from './state.ts';

const KINDS = [
  ['duplicate', 'duplicates'],
  ['lost', 'lost'],
  ['inconsistent', 'inconsistent records or events'],
  ['event', 'events missing or duplicated'],
  ['in flight', 'left in flight'],
  ['messages', 'deliveries with too many messages'],
] as const;

const UNKNOWN = 'DELIVERY_UNKNOWN';

/** Returns the report of a campaign as a text table. */
export function tableOf(report: Report): string {
  const { kinds, planned, met } = report.requests;
  const rows: [string, string | number][] = [
    ['seed', report.seed],
    ['posts', report.posts],
    ['kinds of requests to platforms', kinds],
    ['combinations of fault and request that occurred', `${met} of ${planned}`],
    [
      'kinds of faults in AWS',
      `${SCENARIO_NAMES.filter(name => report.faults.has(name)).length} of ${SCENARIO_NAMES.length}`,
    ],
    ...sorted(report.outcomes),
    ...report.platforms.map((platform): [string, number] => [
      `${UNKNOWN}: ${platform}`,
      report.outcomes.get(`${platform} unknown`) ?? 0,
    ]),
    ...[...report.messages].map(([platform, count]): [string, string] => [
      `messages for a minute of processing: ${platform}`,
      `${count} (at most ${MAX_MESSAGES})`,
    ]),
    ['faults injected', total(report.faults)],
    ...sorted(report.faults).map(([name, count]): [string, number] => [`  ${name}`, count]),
    ...KINDS.map(([kind, words]): [string, number] => [
      words,
      report.violations.filter(violation => violation.kind === kind).length,
    ]),
    ['seconds', Math.round(report.seconds)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
const total = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((all, count) => all + count, 0);
