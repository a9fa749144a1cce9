import { startStack, type StackOptions, type TestStack } from '../support/stack.ts';

/** A benchmark of `npm run bench`; `npm run bench -- <name>` runs it alone. */
export interface Bench {
  name: string;
  /** What it measures, for `--help`. */
  summary: string;
  run: (options: BenchOptions) => Promise<void>;
}

/** What the command line narrows down, for benchmarks that support it. */
export interface BenchOptions {
  platform?: string | undefined;
  /** Megabytes of the file. */
  size?: number | undefined;
}

/** Starts a local stack, runs the function with it, and stops it. */
export async function onStack(
  run: (stack: TestStack) => Promise<void>,
  options?: StackOptions,
): Promise<void> {
  const stack = await startStack(options);
  try {
    await run(stack);
  } finally {
    await stack.close();
  }
}

/** Prints the results. */
export function report(title: string, values: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(values).map(name => name.length));
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(values)) console.log(`  ${name.padEnd(width)}  ${value}`);
}

/** Returns the quantile of sorted samples: the value below which this share of them lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
