import type { SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import type { SqsMessage } from '../../node_modules/fauxqs/dist/sqs/sqsTypes.js';

/** Most messages of one ReceiveMessage. */
const RECEIVE_LIMIT = 10;

/**
 * Moves to the front of a queue what a fair queue returns next: messages of the tenants with the fewest messages in flight,
 * the oldest of each first. A message without a group is a tenant of its own.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export function orderFairly(queue: SqsQueue): void {
  queue.processTimers();
  const waiting = Map.groupBy(queue.messages, tenantOf);
  if (waiting.size < 2) return;
  const inFlight = new Map<string, number>();
  const add = (tenant: string) => inFlight.set(tenant, (inFlight.get(tenant) ?? 0) + 1);
  for (const { message } of queue.inflightMessages.values()) add(tenantOf(message));

  const next = new Set<SqsMessage>();
  while (next.size < RECEIVE_LIMIT && waiting.size > 0) {
    const tenant = quietest([...waiting.keys()], inFlight);
    const [message, ...rest] = waiting.get(tenant) ?? [];
    if (message) next.add(message);
    add(tenant);
    if (rest.length > 0) waiting.set(tenant, rest);
    else waiting.delete(tenant);
  }
  queue.messages = [...next, ...queue.messages.filter(message => !next.has(message))];
}

const tenantOf = ({ messageGroupId, messageId }: SqsMessage): string => messageGroupId ?? messageId;

/** Returns the tenant with the fewest messages in flight, the first of several. */
function quietest(tenants: readonly string[], inFlight: ReadonlyMap<string, number>): string {
  const countOf = (tenant: string) => inFlight.get(tenant) ?? 0;
  return tenants.reduce((best, tenant) => (countOf(tenant) < countOf(best) ? tenant : best));
}
