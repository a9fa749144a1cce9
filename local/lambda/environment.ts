import { randomUUID } from 'node:crypto';
import { MessageChannel, Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { arn, REGION } from '../template/names.ts';
import type { FunctionResource } from '../template/resources.ts';

export type Outcome = { ok: true; result: unknown } | { ok: false; errorType: string; errorMessage: string };

/** What all environments of the stack share. */
export interface LambdaHost {
  /** Variables beside those of the template. */
  environment: Readonly<Record<string, string>>;
  /** `host:port` of the local services that want to know who calls. */
  localHosts: readonly string[];
  clock: SharedArrayBuffer;
  log: (functionName: string, stream: 'stdout' | 'stderr', text: string) => void;
}

export interface Environment {
  id: string;
  /** Runs one event. Never rejects; only one at a time. */
  invoke: (event: unknown) => Promise<Outcome>;
  /** Ends it in the middle of whatever it does. */
  kill: () => Promise<void>;
  /** Whether it can take another event. */
  isAlive: () => boolean;
}

/** Lambda's limit of an answer. */
const MAX_RESULT_BYTES = 6 * 1024 * 1024;
/** Lambda gives 10 s, on a machine that does nothing else. */
const INIT_LIMIT_MS = 30_000;
const BOOTSTRAP = new URL('bootstrap.mjs', import.meta.url);

const MessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('ready') }),
  v.object({ kind: v.literal('done'), result: v.string() }),
  v.object({ kind: v.literal('unloadable'), errorType: v.string(), errorMessage: v.string() }),
  v.object({ kind: v.literal('failed'), errorType: v.string(), errorMessage: v.string() }),
  v.object({ kind: v.literal('log'), stream: v.picklist(['stdout', 'stderr']), text: v.string() }),
]);
type Message = v.InferOutput<typeof MessageSchema>;

/** Starts an environment of a function. It loads its code in the background; the first event waits for that. */
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
    },
    transferList: [workerEvents],
    env: variables(fn, host, logStream),
    resourceLimits: { maxOldGenerationSizeMb: fn.memoryMb },
  });
  let alive = true;
  let busy = true;
  let settle: (outcome: Outcome) => void = () => undefined;
  const ready = Promise.withResolvers<Outcome | null>();

  worker.on('message', raw => onMessage(v.parse(MessageSchema, raw)));
  worker.on('error', error =>
    end('Runtime.UnhandledError', error instanceof Error ? error.message : String(error)),
  );
  worker.on('exit', () => end('Runtime.ExitError', 'The environment ended without an answer'));
  const initLimit = setTimeout(() => end('Sandbox.Timedout', 'The code did not load in time'), INIT_LIMIT_MS);

  function onMessage(message: Message): void {
    if (message.kind === 'log') host.log(fn.name, message.stream, message.text);
    else if (message.kind === 'ready') begin(null);
    else if (message.kind === 'unloadable') end(message.errorType, message.errorMessage);
    else if (message.kind === 'failed') settle(failure(message.errorType, message.errorMessage));
    else settle(resultOf(message.result));
  }

  function begin(fault: Outcome | null): void {
    clearTimeout(initLimit);
    busy = false;
    if (fault) alive = false;
    ready.resolve(fault);
  }

  function end(errorType: string, errorMessage: string): void {
    if (alive && busy) host.log(fn.name, 'stderr', `${errorType}: ${errorMessage}\n`);
    alive = false;
    const outcome = failure(errorType, errorMessage);
    begin(outcome);
    settle(outcome);
    void worker.terminate();
  }

  async function invoke(event: unknown): Promise<Outcome> {
    const fault = await ready.promise;
    if (fault) return fault;
    const answer = Promise.withResolvers<Outcome>();
    settle = answer.resolve;
    busy = true;
    const limitMs = fn.timeoutS * 1000;
    const timer = setTimeout(
      () => end('Sandbox.Timedout', `Task timed out after ${fn.timeoutS.toFixed(2)} seconds`),
      limitMs,
    );
    events.postMessage({
      event: JSON.stringify(event),
      context: context(fn, logStream),
      deadline: performance.timeOrigin + performance.now() + limitMs,
    });
    Atomics.store(wake, 0, 1);
    Atomics.notify(wake, 0);
    const outcome = await answer.promise;
    clearTimeout(timer);
    busy = false;
    return outcome;
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

const failure = (errorType: string, errorMessage: string): Outcome => ({
  ok: false,
  errorType,
  errorMessage,
});

function resultOf(json: string): Outcome {
  if (Buffer.byteLength(json) > MAX_RESULT_BYTES) {
    return failure('Function.ResponseSizeTooLarge', 'The answer is over 6 MB');
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
