import type { Plan } from '../model/workspace.ts';

/** The plan that the queue requires. */
export const QUEUE_PLAN: { feature: string; minimum: Plan } = { feature: 'The queue', minimum: 'starter' };
