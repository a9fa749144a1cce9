import { banner } from './banner.ts';
import { createCleanup, type Cleanup } from './cleanup.ts';
import { readOptions, USAGE, type LocalOptions } from './options.ts';
import { describeReady, readyFiles, assertFolderUnused, removeReady, writeReady } from './ready.ts';
import { seed } from './seed.ts';
import { startStack } from './stack.ts';

/** As in Lambda. Worker threads share it. */
process.env['TZ'] = 'UTC';

/** Time for an orderly shutdown. */
const STOP_LIMIT_MS = 5000;

/** `npm start`: prints the usage, or starts the stack and prints where it answers. Exits if it cannot. */
export async function main(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  if (options) await start(options);
  else console.log(USAGE);
}

function optionsOf(args: readonly string[]): LocalOptions | null {
  try {
    return readOptions(args);
  } catch (error) {
    return fail(`${messageOf(error)}\n\n${USAGE}`);
  }
}

async function start(chosen: LocalOptions): Promise<void> {
  const started = performance.now();
  const files = readyFiles(chosen);
  const cleanup = createCleanup();
  cleanup.add(() => removeReady(files));
  stopOnSignal(cleanup);
  try {
    assertFolderUnused(chosen);
    const stack = await startStack(chosen, cleanup);
    const seedResult = await seed(stack);
    stack.run();
    stack.services.calls.reset();
    const ready = describeReady(stack, seedResult);
    writeReady(files, ready, stack);
    if (chosen.quiet) return;
    const seconds = (performance.now() - started) / 1000;
    const { connectErrors } = seedResult;
    console.log(banner({ ready, engine: stack.engine, seconds, data: chosen.data, connectErrors }));
  } catch (error) {
    await cleanup.run();
    fail(messageOf(error));
  }
}

/** A second signal exits at once. */
function stopOnSignal(cleanup: Cleanup): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    void cleanup.run().then(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
