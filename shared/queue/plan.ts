import type { Plan } from '../model/workspace.ts';

/** Who may use the queue. */
export const QUEUE_PLAN: { feature: string; minimum: Plan } = { feature: 'The queue', minimum: 'starter' };
