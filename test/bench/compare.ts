import { rowsOf, type Row, type Section } from './document.ts';
import { textOf, type Value } from './value.ts';

/** Measurements that differ by less are the same: no machine is quiet enough. */
const TOLERANCE = 0.1;

export interface Worse {
  bench: string;
  measured: string;
  before: string;
  now: string;
}

/** Returns the figures of these sections that are worse than in an earlier document. */
export function worseThan(earlier: string, sections: readonly Section[]): Worse[] {
  const before = new Map(rowsOf(earlier).map(row => [keyOf(row), row.value]));
  return sections.flatMap(({ bench, results }) =>
    results.flatMap(({ title, values }) =>
      Object.entries(values).flatMap(([name, value]) => {
        const was = before.get(keyOf({ bench, title, name }));
        if (was === undefined || !isWorse(value, was)) return [];
        return [{ bench, measured: `${title}: ${name}`, before: was, now: textOf(value) }];
      }),
    ),
  );
}

const keyOf = ({ bench, title, name }: Omit<Row, 'value'>) => [bench, title, name].join('\n');

function isWorse(value: Value, was: string): boolean {
  if (typeof value === 'string') return false;
  const before = Number.parseFloat(was);
  return value.better === 'less'
    ? value.value > before * (1 + TOLERANCE)
    : value.value < before * (1 - TOLERANCE);
}
