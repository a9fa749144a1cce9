import { describe, expect, test } from '@jest/globals';
import { actionsOf, idOf, nameOf, synthesize, targetsOf, type Reference } from '../test/support/template.ts';

/*
 * Lambda stops a function that is invoked 16 times in one chain of messages and invocations, unless its recursive loop detection is off.
 */

const stack = synthesize();
const resourceOf = (reference: unknown) => idOf(reference as Reference);

/** Ids of what a function may do this to: send messages to queues, invoke functions. */
function targets(name: string, action: string): Set<string> {
  const statements = stack.statements(idOf(stack.functions.get(name)!.Role));
  const allowed = statements.filter(statement => actionsOf(statement).includes(action));
  return new Set(allowed.flatMap(targetsOf).map(resourceOf));
}

const namesById = new Map(stack.all('AWS::Lambda::Function').map(([id, each]) => [id, nameOf(each)]));

/** Names of the functions that a function invokes, also by messages. */
const invokedBy = (name: string) => [
  ...[...targets(name, 'sqs:SendMessage')].flatMap(queue => consumers.get(queue) ?? []),
  ...[...targets(name, 'lambda:InvokeFunction')].flatMap(id => namesById.get(id) ?? []),
];

/** Names of the functions that consume each queue. */
const consumers = new Map<string, string[]>();
for (const [, mapping] of stack.all('AWS::Lambda::EventSourceMapping')) {
  const consumer = nameOf(stack.at('AWS::Lambda::Function', mapping.FunctionName));
  const queue = idOf(mapping.EventSourceArn);
  consumers.set(queue, [...(consumers.get(queue) ?? []), consumer]);
}

/** Whether messages of the function can invoke it again, through any number of queues and functions. */
function isInLoop(name: string): boolean {
  const reached = new Set<string>();
  const next = [name];
  for (let current = next.pop(); current !== undefined; current = next.pop()) {
    const invoked = invokedBy(current);
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

  test.each(['publisher-x', 'webhook-dispatcher'])('is off for %s', name => {
    expect(isInLoop(name)).toBe(true);
  });
});
