import { randomUUID } from 'node:crypto';
import { MessageChannel, Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { arn, REGION } from '../template/names.ts';
import type { FunctionResource } from '../template/resources.ts';

export interface InvocationError {
  ok: false;
  errorType: string;
  errorMessage: string;
}

export type InvocationResult = { ok: true; result: unknown } | InvocationError;

/** Settings shared by all environments of the stack. */
export interface LambdaHost {
  /** Environment variables in addition to those of the template. */
  environment: Readonly<Record<string, string>>;
  /** `host:port` of the local services whose requests carry the environment's id. */
  localHosts: readonly string[];
  clock: SharedArrayBuffer;
  log: (functionName: string, stream: 'stdout' | 'stderr', text: string) => void;
}

export interface Environment {
  id: string;
  /** Runs one event at a time, with `_X_AMZN_TRACE_ID` set to the tracing header. Never rejects. */
  invoke: (event: unknown, traceHeader: string) => Promise<InvocationResult>;
  /** Terminates the environment, also during an invocation. */
  kill: () => Promise<void>;
  /** Whether it can run another event. */
  isAlive: () => boolean;
}

/** Lambda's limit of a response. */
const MAX_RESULT_BYTES = 6 * 1024 * 1024;
/** Lambda allows 10 s; a busy development machine needs longer. */
const INIT_LIMIT_MS = 30_000;
const BOOTSTRAP = new URL('bootstrap.mjs', import.meta.url);

const MessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('ready') }),
  v.object({ kind: v.literal('done'), result: v.string() }),
  v.object({ kind: v.literal('init-failed'), errorType: v.string(), errorMessage: v.string() }),
  v.object({ kind: v.literal('failed'), errorType: v.string(), errorMessage: v.string() }),
  v.object({ kind: v.literal('log'), stream: v.picklist(['stdout', 'stderr']), text: v.string() }),
]);
type Message = v.InferOutput<typeof MessageSchema>;

/** Starts an environment. It loads its code in the background; the first invocation waits for that. */
export function createEnvironment(fn: FunctionResource, id: string, host: LambdaHost): Environment {
  const wake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const { port1: events, port2: workerEvents } = new MessageChannel();
  const logStream = `local/[$LATEST]${randomUUID().replaceAll('-', '')}`;
  const worker = new Worker(BOOTSTRAP, {
    name: id,
    workerData: {
      id,
      wake,
      events: workerEvents,
      module: fn.module,
      handler: fn.handler,
      clock: host.clock,
      localHosts: host.localHosts,
      compileCache: COMPILE_CACHE,
    },
    transferList: [workerEvents],
    env: variables(fn, host, logStream),
    resourceLimits: { maxOldGenerationSizeMb: fn.memoryMb },
  });
  let alive = true;
  let busy = true;
  let settle: (result: InvocationResult) => void = () => undefined;
  const ready = Promise.withResolvers<InvocationResult | null>();

  worker.on('message', raw => onMessage(v.parse(MessageSchema, raw)));
  worker.on('error', error =>
    end('Runtime.UnhandledError', error instanceof Error ? error.message : String(error)),
  );
  worker.on('exit', () => end('Runtime.ExitError', 'The runtime exited without a response'));
  const initLimit = setTimeout(() => end('Sandbox.Timedout', 'Init phase timed out'), INIT_LIMIT_MS);

  function onMessage(message: Message): void {
    if (message.kind === 'log') host.log(fn.name, message.stream, message.text);
    else if (message.kind === 'ready') begin(null);
    else if (message.kind === 'init-failed') end(message.errorType, message.errorMessage);
    else if (message.kind === 'failed') settle(failure(message.errorType, message.errorMessage));
    else settle(resultOf(message.result));
  }

  function begin(initError: InvocationResult | null): void {
    clearTimeout(initLimit);
    busy = false;
    if (initError) alive = false;
    ready.resolve(initError);
  }

  function end(errorType: string, errorMessage: string): void {
    if (alive && busy) host.log(fn.name, 'stderr', `${errorType}: ${errorMessage}\n`);
    alive = false;
    const result = failure(errorType, errorMessage);
    begin(result);
    settle(result);
    void worker.terminate();
  }

  async function invoke(event: unknown, traceHeader: string): Promise<InvocationResult> {
    const initError = await ready.promise;
    if (initError) return initError;
    const settled = Promise.withResolvers<InvocationResult>();
    settle = settled.resolve;
    busy = true;
    const limitMs = fn.timeoutS * 1000;
    const timer = setTimeout(
      () => end('Sandbox.Timedout', `Task timed out after ${fn.timeoutS.toFixed(2)} seconds`),
      limitMs,
    );
    events.postMessage({
      event: JSON.stringify(event),
      context: context(fn, logStream),
      traceHeader,
      deadline: performance.timeOrigin + performance.now() + limitMs,
    });
    Atomics.store(wake, 0, 1);
    Atomics.notify(wake, 0);
    const result = await settled.promise;
    clearTimeout(timer);
    busy = false;
    return result;
  }

  return {
    id,
    invoke,
    isAlive: () => alive,
    kill: async () => {
      end('Runtime.Killed', 'The environment was killed');
      await worker.terminate();
    },
  };
}

const failure = (errorType: string, errorMessage: string): InvocationError => ({
  ok: false,
  errorType,
  errorMessage,
});

function resultOf(json: string): InvocationResult {
  if (Buffer.byteLength(json) > MAX_RESULT_BYTES) {
    return failure('Function.ResponseSizeTooLarge', 'Response payload size exceeded the maximum of 6 MB');
  }
  const result: unknown = JSON.parse(json);
  return { ok: true, result };
}

function variables(fn: FunctionResource, host: LambdaHost, logStream: string): Record<string, string> {
  return {
    ...fn.environment,
    ...host.environment,
    TZ: 'UTC',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  };
}

function context(fn: FunctionResource, logStream: string) {
  return {
    functionName: fn.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn('lambda', `function:${fn.name}`),
    memoryLimitInMB: String(fn.memoryMb),
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${fn.name}`,
    logStreamName: logStream,
    callbackWaitsForEmptyEventLoop: true,
  };
}
