import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../aws/env.ts';

type Values<T> = { readonly [Name in keyof T]?: number };

/**
 * Writes metrics in the embedded metric format: one log line, from which CloudWatch takes the values. `details` are further
 * fields of the line, for queries; they are no dimensions, which would each be billed as metrics of their own.
 */
export function writeMetrics<S extends keyof typeof METRICS>(
  service: S,
  values: Values<(typeof METRICS)[S]>,
  details: Readonly<Record<string, string>> = {},
): void {
  const metrics = new Metrics({ serviceName: service });
  for (const [key, name] of Object.entries<string>(METRICS[service])) {
    const value = new Map(Object.entries<number | undefined>(values)).get(key);
    if (value === undefined) continue;
    metrics.addMetric(name, key.endsWith('_s') ? MetricUnit.Seconds : MetricUnit.Count, value);
  }
  for (const [name, value] of Object.entries(details)) metrics.addMetadata(name, value);
  metrics.publishStoredMetrics();
}

/** Writes a count of the sweeps that is above zero. */
export function countOfSweep(metric: keyof typeof METRICS.sweep, count: number): void {
  if (count > 0) writeMetrics('sweep', { [metric]: count });
}
