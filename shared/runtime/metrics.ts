import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS, METRICS_SERVICE } from '../aws/env.ts';

/** Publishes a count above zero, in the log, in the embedded metric format. */
export function countMetric(metric: keyof typeof METRICS, count: number): void {
  if (count === 0) return;
  const metrics = new Metrics({ serviceName: METRICS_SERVICE });
  metrics.addMetric(METRICS[metric], MetricUnit.Count, count);
  metrics.publishStoredMetrics();
}
