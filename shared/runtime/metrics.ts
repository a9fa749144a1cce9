import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { OVERDUE_METRIC, OVERDUE_SERVICE } from '../aws/env.ts';

/**
 * Counts what a sweep found overdue, under one name whoever counts it. It is written to the log, from which CloudWatch
 * takes it: no call.
 */
export function countOverdue(items: number): void {
  const metrics = new Metrics({ serviceName: OVERDUE_SERVICE });
  metrics.addMetric(OVERDUE_METRIC, MetricUnit.Count, items);
  metrics.publishStoredMetrics();
}
