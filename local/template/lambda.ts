import { join } from 'node:path';
import * as v from 'valibot';
import type { Reader } from './reader.ts';
import { functionName, lastPart, Whole } from './resources.ts';
import type { Template } from './template.ts';

export interface FunctionResource {
  name: string;
  /** Path of the code file without its extension. */
  module: string;
  /** Name of the exported handler. */
  handler: string;
  environment: Record<string, string>;
  timeoutS: number;
  memoryMb: number;
  /** Whether recursive loop detection is off (`RecursiveLoop: Allow`). */
  allowsRecursion: boolean;
}

export function functions({ all, references }: Reader, { asset }: Template): FunctionResource[] {
  return all(['AWS::Lambda::Function'], {
    Code: v.object({ S3Key: v.string() }),
    Handler: v.string(),
    Timeout: v.optional(Whole, 3),
    MemorySize: v.optional(Whole, 128),
    RecursiveLoop: v.optional(v.picklist(['Allow', 'Terminate']), 'Terminate'),
    Environment: v.optional(v.object({ Variables: v.optional(v.record(v.string(), v.string()), {}) }), {}),
  }).map(({ id, properties: { Code, Handler, Timeout, MemorySize, RecursiveLoop, Environment } }) => {
    const dot = Handler.lastIndexOf('.');
    return {
      name: references.ref(id),
      module: join(asset(Code.S3Key), Handler.slice(0, dot)),
      handler: Handler.slice(dot + 1),
      environment: Environment.Variables,
      timeoutS: Timeout,
      memoryMb: MemorySize,
      allowsRecursion: RecursiveLoop === 'Allow',
    };
  });
}

export interface EventSource {
  queue: string;
  function: string;
  batchSize: number;
  windowS: number;
  maxConcurrency: number | null;
  partialFailures: boolean;
}

/** An event source mapping as the template has it. */
export interface MappingResource {
  uuid: string;
  enabled: boolean;
  source: EventSource;
}

export function eventSourceMappings({ all, references }: Reader): MappingResource[] {
  return all(['AWS::Lambda::EventSourceMapping'], {
    EventSourceArn: v.string(),
    FunctionName: v.string(),
    BatchSize: v.optional(Whole, 10),
    MaximumBatchingWindowInSeconds: v.optional(Whole, 0),
    FunctionResponseTypes: v.optional(v.array(v.string()), []),
    ScalingConfig: v.optional(v.object({ MaximumConcurrency: v.optional(Whole) })),
    Enabled: v.optional(v.boolean(), true),
  }).map(({ id, properties }) => ({
    uuid: references.ref(id),
    enabled: properties.Enabled,
    source: {
      queue: lastPart(properties.EventSourceArn),
      function: functionName(properties.FunctionName),
      batchSize: properties.BatchSize,
      windowS: properties.MaximumBatchingWindowInSeconds,
      maxConcurrency: properties.ScalingConfig?.MaximumConcurrency ?? null,
      partialFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    },
  }));
}

/** How Lambda treats the events of asynchronous invocations of a function. */
export interface AsyncSetting {
  function: string;
  retries: number;
  maxAgeS: number;
  /** Queue that receives a record of each event that was given up; null for none. */
  failureQueueArn: string | null;
}

export function asyncSettings({ all }: Reader): AsyncSetting[] {
  return all(['AWS::Lambda::EventInvokeConfig'], {
    FunctionName: v.string(),
    MaximumRetryAttempts: v.optional(Whole, 2),
    MaximumEventAgeInSeconds: v.optional(Whole, 21_600),
    DestinationConfig: v.optional(v.object({ OnFailure: v.optional(v.object({ Destination: v.string() })) })),
  }).map(({ properties }) => ({
    function: functionName(properties.FunctionName),
    retries: properties.MaximumRetryAttempts,
    maxAgeS: properties.MaximumEventAgeInSeconds,
    failureQueueArn: properties.DestinationConfig?.OnFailure?.Destination ?? null,
  }));
}
