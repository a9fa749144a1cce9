import { createHash, randomBytes } from 'node:crypto';

/**
 * Recursive loop detection: Lambda counts the invocations of a function in a chain of requests in the `Lineage` of the
 * tracing header, which the AWS SDK sends with every call and SQS keeps with the message (`AWSTraceHeader`).
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const MAX_INVOCATIONS = 16;

/** Returns the tracing header of a function's next invocation in the chain of `parent`; null starts a new chain. */
export function nextTraceHeader(parent: string | null, functionName: string, nowMs: number): string {
  const root = /Root=([^;]+)/.exec(parent ?? '')?.[1] ?? newRoot(nowMs);
  const lineage = lineageOf(parent);
  const key = keyOf(functionName);
  lineage.set(key, (lineage.get(key) ?? 0) + 1);
  const counts = [...lineage].map(([name, count]) => `${name}:${count}`).join('|');
  return `Root=${root};Parent=${randomBytes(8).toString('hex')};Sampled=0;Lineage=${counts}`;
}

/** Number of the function's invocations in the chain of this tracing header. */
export function invocationsIn(header: string | null, functionName: string): number {
  return lineageOf(header).get(keyOf(functionName)) ?? 0;
}

function lineageOf(header: string | null): Map<string, number> {
  const text = /Lineage=([^;]+)/.exec(header ?? '')?.[1] ?? '';
  return new Map(
    [...text.matchAll(/([0-9a-f]{8}):(\d+)/g)].map(([, key = '', count]) => [key, Number(count)]),
  );
}

const keyOf = (functionName: string) => createHash('sha256').update(functionName).digest('hex').slice(0, 8);

function newRoot(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
    .toString(16)
    .padStart(8, '0');
  return `1-${seconds}-${randomBytes(12).toString('hex')}`;
}
