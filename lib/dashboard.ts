import { Duration, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Dashboard, GraphWidget, LogQueryWidget, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS } from '../shared/aws/env.ts';
import { functionsOf, QUERIES } from './queries.ts';
import { WorkQueue } from './work-queue.ts';

const PERIOD = Duration.minutes(5);
const WIDTH = 12;
const HEIGHT = 6;

/**
 * One dashboard. An account has three with up to 50 metrics each without charge, and a test counts these. Platforms are told
 * apart by a query of the logs, because a metric for each would be billed.
 */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, { api }: { api: HttpApi }) {
    super(scope, id);
    const dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(24) });
    dashboard.addWidgets(this.attempts(), this.lateness());
    dashboard.addWidgets(this.queues(), this.stuck());
    dashboard.addWidgets(this.webhooks(), this.platforms());
    dashboard.addWidgets(apiLatency(api), apiErrors(api));
    dashboard.addWidgets(lambda());
  }

  private attempts(): GraphWidget {
    const { published, retried, failed } = METRICS.publishing;
    const left = [published, retried, failed].map(name => this.metric('publishing', name, 'Sum'));
    return graph('Attempts by their end', left);
  }

  private lateness(): GraphWidget {
    const { late_s } = METRICS.publishing;
    const left = ['p50', 'p99'].map(statistic => this.metric('publishing', late_s, statistic, statistic));
    return graph('Seconds from when a post was due until it was live', left);
  }

  private queues(): GraphWidget {
    const queues = Stack.of(this)
      .node.findAll()
      .filter(construct => construct instanceof WorkQueue);
    const left = queues.map(({ name, queue }) =>
      queue.metricApproximateAgeOfOldestMessage({ label: name, period: PERIOD, statistic: 'Maximum' }),
    );
    return graph('Age of the oldest message in each queue, seconds', left);
  }

  private stuck(): GraphWidget {
    const { overdue, dead_letters } = METRICS.sweep;
    return graph(
      'Overdue items and dead letters',
      [overdue, dead_letters].map(name => this.metric('sweep', name, 'Maximum')),
    );
  }

  private webhooks(): GraphWidget {
    const { delivered, undelivered } = METRICS.webhooks;
    const usingMetrics = {
      ok: this.metric('webhooks', delivered, 'Sum'),
      failed: this.metric('webhooks', undelivered, 'Sum'),
    };
    const success = new MathExpression({
      expression: '100 * FILL(ok, 0) / (FILL(ok, 0) + FILL(failed, 0))',
      label: 'Accepted by receivers',
      period: PERIOD,
      usingMetrics,
    });
    return graph('Webhook deliveries that receivers accepted, percent', [success]);
  }

  private platforms(): LogQueryWidget {
    const title = 'How attempts end, by platform';
    return new LogQueryWidget({
      title,
      logGroupNames: functionsOf(Stack.of(this))
        .filter(({ name }) => name.startsWith('publisher-'))
        .map(({ lambda: { logGroup } }) => logGroup.logGroupName),
      queryLines: [...(QUERIES[title] ?? [])],
      width: WIDTH,
      height: HEIGHT,
    });
  }

  private metric(service: keyof typeof METRICS, metricName: string, statistic: string, label = metricName) {
    const namespace = Stack.of(this).stackName;
    return new Metric({
      namespace,
      metricName,
      dimensionsMap: { service },
      statistic,
      label,
      period: PERIOD,
    });
  }
}

const graph = (title: string, left: (Metric | MathExpression)[]) =>
  new GraphWidget({ title, left, width: WIDTH, height: HEIGHT, leftYAxis: { min: 0 } });

const apiLatency = (api: HttpApi) =>
  graph(
    'API: latency, milliseconds',
    ['p50', 'p99'].map(statistic => api.metricLatency({ statistic, label: statistic, period: PERIOD })),
  );

const apiErrors = (api: HttpApi) =>
  graph('API: requests and errors', [
    api.metricCount({ statistic: 'Sum', label: 'requests', period: PERIOD }),
    api.metricClientError({ statistic: 'Sum', label: '4xx', period: PERIOD }),
    api.metricServerError({ statistic: 'Sum', label: '5xx', period: PERIOD }),
  ]);

/** Of all functions in the account and region, because they share its concurrency. */
const lambda = () =>
  graph(
    'Lambda in this account and region: errors, throttles, concurrency',
    [
      ['Errors', 'Sum'],
      ['Throttles', 'Sum'],
      ['ConcurrentExecutions', 'Maximum'],
    ].map(
      ([metricName = '', statistic = '']) =>
        new Metric({ namespace: 'AWS/Lambda', metricName, statistic, label: metricName, period: PERIOD }),
    ),
  );
