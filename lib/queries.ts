import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ServiceFunction } from './functions.ts';

/**
 * Saved queries of CloudWatch Logs Insights: one for each question that docs/runbook.md asks. They cost nothing until somebody
 * runs them, then 0.005 dollars for each gigabyte of logs.
 */
export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'Which functions fail, and why': [
    'filter level = "ERROR"',
    'stats count(*) as errors, latest(@timestamp) as last by service, message, error_name, error_message',
    'sort errors desc',
  ],
  'What became of a post': [
    'filter post_id = "PUT THE ID HERE"',
    'fields @timestamp, platform, attempt, Published, Retried, Failed, code, message, error_name, error_message, request_id',
    'sort @timestamp asc',
  ],
  'How attempts end, by platform': [
    'filter ispresent(Published) or ispresent(Retried) or ispresent(Failed)',
    'stats sum(Published) as published, sum(Retried) as retried, sum(Failed) as failed by platform, code',
    'sort failed desc, retried desc',
  ],
  'Which posts were late': [
    'filter Lateness > 60',
    'fields @timestamp, Lateness, platform, post_id, attempt',
    'sort Lateness desc',
  ],
  'What became a dead letter': [
    'filter message like /dead letter/i',
    'fields @timestamp, message, platform, post_id, message_id, error_message, @message',
    'sort @timestamp desc',
  ],
  'What the sweeper could not do': [
    // Lambda's own line about a timeout has no `service`.
    'filter @log like /Sweeper/ and (level in ["ERROR", "WARN"] or @message like /Task timed out/)',
    'fields @timestamp, message, sort_key, error_name, error_message',
    'sort @timestamp desc',
  ],
  'Which requests were answered with 5xx': [
    'filter message = "Request failed" or (message = "Request handled" and status >= 500)',
    'fields @timestamp, request_id, method, route, status, ms, error_name, error_message, stack',
    'sort @timestamp desc',
  ],
  'Which webhooks fail': [
    'filter ispresent(Delivered) or ispresent(NotDelivered)',
    'stats sum(Delivered) as delivered, sum(NotDelivered) as failed by webhook_id, status_code',
    'sort failed desc',
  ],
  'Which tokens could not be renewed': [
    'filter message = "Could not renew an account ahead of time"',
    'stats count(*) as failures, latest(@timestamp) as last by platform, error_name, error_message',
  ],
  'Which functions run out of time or memory': [
    'filter type = "platform.report"',
    'stats max(record.metrics.durationMs) as longest_ms, max(record.metrics.maxMemoryUsedMB) as most_mb, max(record.metrics.memorySizeMB) as of_mb by @log',
    'sort longest_ms desc',
  ],
};

/** Saves the queries over the logs of all functions, in a folder with the name of the stack. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const stack = Stack.of(this);
    const logGroupNames = functionsOf(stack).map(({ lambda }) => lambda.logGroup.logGroupName);
    for (const [question, lines] of Object.entries(QUERIES)) {
      new CfnQueryDefinition(this, question.replace(/\W+/g, ''), {
        name: `${stack.stackName}/${question}`,
        queryString: lines.join('\n| '),
        logGroupNames,
      });
    }
  }
}

/** Returns the functions of a stack. Their constructs must exist. */
export const functionsOf = (stack: Stack): ServiceFunction[] =>
  stack.node.findAll().filter(construct => construct instanceof ServiceFunction);
