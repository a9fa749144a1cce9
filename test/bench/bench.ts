import { startStack, type StackOptions, type TestStack } from '../support/stack.ts';

/** One thing that `npm run bench` measures; `npm run bench -- <name>` measures it alone. */
export interface Bench {
  name: string;
  run: () => Promise<void>;
}

/** Runs on a local stack of its own, which ends afterwards. */
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

/** Prints what was measured. */
export function report(title: string, values: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(values).map(name => name.length));
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(values)) console.log(`  ${name.padEnd(width)}  ${value}`);
}

/** The value below which the share of the samples lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
