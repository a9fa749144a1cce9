import { describe, expect, test } from '@jest/globals';
import { actionsOf, idOf, own, synthesize, targetsOf, type Reference } from '../test/support/template.ts';

/*
 * Lambda stops a function that is invoked 16 times in one chain of messages, unless its recursive loop detection is off.
 */

const stack = synthesize();
const queueOf = (reference: unknown) => idOf(reference as Reference);

/** Ids of the queues that a function may send messages to. */
function targetQueues(name: string): Set<string> {
  const statements = stack.statements(idOf(stack.functions.get(name)!.Role));
  const sends = statements.filter(statement => actionsOf(statement).includes('sqs:SendMessage'));
  return new Set(sends.flatMap(targetsOf).map(queueOf));
}

/** Names of the functions that consume each queue. */
const consumers = new Map<string, string[]>();
for (const [, mapping] of stack.all('AWS::Lambda::EventSourceMapping')) {
  const { FunctionName } = stack.at('AWS::Lambda::Function', mapping.FunctionName);
  const queue = idOf(mapping.EventSourceArn);
  consumers.set(queue, [...(consumers.get(queue) ?? []), own(FunctionName)]);
}

/** Whether messages of the function can invoke it again, through any number of queues and functions. */
function isInLoop(name: string): boolean {
  const reached = new Set<string>();
  const next = [name];
  for (let current = next.pop(); current !== undefined; current = next.pop()) {
    const invoked = [...targetQueues(current)].flatMap(queue => consumers.get(queue) ?? []);
    if (invoked.includes(name)) return true;
    for (const each of invoked.filter(one => !reached.has(one))) {
      reached.add(each);
      next.push(each);
    }
  }
  return false;
}

describe('recursive loop detection', () => {
  test.each([...stack.functions.keys()])('is off for %s only if its messages can invoke it again', name => {
    expect(stack.functions.get(name)!.RecursiveLoop === 'Allow').toBe(isInLoop(name));
  });

  test.each(['publisher-x', 'media-importer', 'webhook-dispatcher'])('is off for %s', name => {
    expect(isInLoop(name)).toBe(true);
  });
});
