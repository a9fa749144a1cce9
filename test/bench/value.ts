/** A measured number. `better` says which direction is an improvement. */
export interface Measure {
  value: number;
  unit: string;
  /** Decimal places. */
  digits: number;
  better: 'less' | 'more';
}

/** A measure, or what is stated as it is and not compared. */
export type Value = Measure | string;

/** Returns a measure that should be small, such as a duration or a size. */
export const less = (value: number, unit: string, digits = 0): Measure => ({
  value,
  unit,
  digits,
  better: 'less',
});

/** Returns a measure that should be large, such as a rate. */
export const more = (value: number, unit: string, digits = 0): Measure => ({
  value,
  unit,
  digits,
  better: 'more',
});

export const textOf = (value: Value): string =>
  typeof value === 'string' ? value : `${value.value.toFixed(value.digits)} ${value.unit}`.trim();

/** Returns quantiles of sorted delays in milliseconds. */
export const lateBy = (sorted: readonly number[]): Record<string, Value> => ({
  earliest: `${sorted[0] ?? Number.NaN} ms`,
  p50: less(quantile(sorted, 0.5), 'ms'),
  p95: less(quantile(sorted, 0.95), 'ms'),
  p99: less(quantile(sorted, 0.99), 'ms'),
  latest: less(sorted.at(-1) ?? Number.NaN, 'ms'),
});

/** Returns the quantile of sorted samples: the value below which this share of them lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number =>
  quantile(
    samples.toSorted((a, b) => a - b),
    0.5,
  );
