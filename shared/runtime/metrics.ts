import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { OVERDUE_METRIC, OVERDUE_SERVICE } from '../aws/env.ts';

/** Publishes the number of overdue items that a sweep found. Written to the log in the embedded metric format. */
export function countOverdue(items: number): void {
  const metrics = new Metrics({ serviceName: OVERDUE_SERVICE });
  metrics.addMetric(OVERDUE_METRIC, MetricUnit.Count, items);
  metrics.publishStoredMetrics();
}
