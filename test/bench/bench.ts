import { startStack, type StackOptions, type TestStack } from '../support/stack.ts';
import type { Value } from './value.ts';

/** Results of one measurement. */
export interface Results {
  title: string;
  values: Readonly<Record<string, Value>>;
}

/** A benchmark of `npm run bench`; `npm run bench -- <name>` runs it alone. */
export interface Bench {
  name: string;
  /** What it measures, for `--help` and the document. */
  summary: string;
  /** Runs only when it is named: it takes too long. */
  isOptional?: boolean;
  run: (options: BenchOptions) => Promise<Results[]>;
}

/** What the command line narrows down, for benchmarks that support it. */
export interface BenchOptions {
  platform?: string | undefined;
  /** Megabytes of the file. */
  size?: number | undefined;
}

/** Starts a local stack, runs the function with it, and stops it. */
export async function onStack<T>(run: (stack: TestStack) => Promise<T>, options?: StackOptions): Promise<T> {
  const stack = await startStack(options);
  try {
    return await run(stack);
  } finally {
    await stack.close();
  }
}
