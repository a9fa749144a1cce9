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
  run: () => Promise<Results[]>;
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
