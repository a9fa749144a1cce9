import type { Plan } from './workspace.ts';

/** What a plan allows; null: without limit. */
export interface PlanLimits {
  profiles: number | null;
  /** Generations in a calendar month (UTC). */
  ai_requests: number | null;
  /** Requests a minute of each API key; as many may come at once. */
  requests_per_minute: number;
}

/** Every limit that depends on the plan, in one table. Keys of the free plan may not use the API at all. */
export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: { profiles: 1, ai_requests: 10, requests_per_minute: 60 },
  starter: { profiles: 5, ai_requests: 50, requests_per_minute: 60 },
  pro: { profiles: 25, ai_requests: 200, requests_per_minute: 120 },
  business: { profiles: 100, ai_requests: 1000, requests_per_minute: 600 },
  enterprise: { profiles: null, ai_requests: null, requests_per_minute: 1200 },
};
