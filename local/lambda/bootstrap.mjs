/**
 * One Lambda environment: a worker thread that loads a function's bundle and runs one invocation at a time. Between
 * invocations the whole thread is blocked, so anything a handler left running is frozen, as in Lambda. Plain JavaScript:
 * like the Lambda runtime, it calls whatever a bundle exports.
 */
import diagnostics from 'node:diagnostics_channel';
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

const { id, module, handler, clock, wake, events, localHosts, compileCache } = workerData;
// Before anything is compiled: on a laptop, compiling the bundles is most of a cold start.
enableCompileCache(compileCache);
const { installClock } = await import('../clock.ts');

const send = message => parentPort.postMessage(message);

installClock(clock);
captureOutput('stdout');
captureOutput('stderr');
tagRequests();

const invoke = load();
if (invoke) {
  send({ kind: 'ready' });
  for (;;) {
    // The thread is terminated in the end, which would lose what was compiled: at the start, and for a request.
    flushCompileCache();
    await run(invoke, nextEvent());
  }
}

function load() {
  try {
    const exported = createRequire(import.meta.url)(module)[handler];
    if (typeof exported !== 'function')
      throw new Error(`${handler} is undefined or not exported by ${module}`);
    return exported;
  } catch (error) {
    send({ kind: 'init-failed', ...errorFields(error) });
    return null;
  }
}

/** Blocks the thread until there is an event. */
function nextEvent() {
  Atomics.wait(wake, 0, 0);
  Atomics.store(wake, 0, 0);
  return receiveMessageOnPort(events).message;
}

async function run(invoke, { event, context, traceHeader, deadline }) {
  // The SDK sends it with every AWS call.
  process.env._X_AMZN_TRACE_ID = traceHeader;
  const remaining = () => Math.max(0, Math.round(deadline - performance.timeOrigin - performance.now()));
  try {
    const result = await invoke(JSON.parse(event), { ...context, getRemainingTimeInMillis: remaining });
    send({ kind: 'done', result: JSON.stringify(result ?? null) });
  } catch (error) {
    process.stderr.write(`${error?.stack ?? error}\n`);
    send({ kind: 'failed', ...errorFields(error) });
  }
}

function errorFields(error) {
  return {
    errorType: String(error?.name ?? 'Error'),
    errorMessage: String(error?.message ?? error),
  };
}

/** A worker's own streams would buffer lines while the thread is blocked. */
function captureOutput(stream) {
  process[stream].write = (chunk, encoding, callback) => {
    send({ kind: 'log', stream, text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done) process.nextTick(done);
    return true;
  };
}

/** Adds the environment's id to requests to the local services. Requests to other hosts are not changed. */
function tagRequests() {
  const isLocal = host => localHosts.includes(host);
  diagnostics.subscribe('http.client.request.created', ({ request }) => {
    // A request with `Expect: 100-continue` has sent its headers already.
    if (isLocal(request.getHeader('host')) && !request.headersSent)
      request.setHeader('x-local-environment', id);
  });
  diagnostics.subscribe('undici:request:create', ({ request }) => {
    if (isLocal(new URL(request.origin).host)) request.addHeader('x-local-environment', id);
  });
}
