import type { Plan } from './workspace.ts';

const GB = 1_000_000_000;

/** Limits of a plan; null means unlimited. */
export interface PlanLimits {
  profiles: number | null;
  /** AI generations per calendar month (UTC). */
  ai_requests: number | null;
  /** Bytes of uploaded media. */
  storage_bytes: number | null;
  /** API keys that are not revoked. */
  api_keys: number;
  /** Requests per minute of each API key, and size of a burst. */
  requests_per_minute: number;
}

/** All keys of a workspace together may send this many times the requests of one key. */
export const WORKSPACE_RATE_FACTOR = 3;

/** Every limit that depends on the plan. Keys of the free plan cannot use the API. */
export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: { profiles: 1, ai_requests: 10, storage_bytes: 1 * GB, api_keys: 1, requests_per_minute: 60 },
  starter: { profiles: 5, ai_requests: 50, storage_bytes: 10 * GB, api_keys: 10, requests_per_minute: 60 },
  pro: { profiles: 25, ai_requests: 200, storage_bytes: 50 * GB, api_keys: 25, requests_per_minute: 120 },
  business: {
    profiles: 100,
    ai_requests: 1000,
    storage_bytes: 500 * GB,
    api_keys: 100,
    requests_per_minute: 600,
  },
  enterprise: {
    profiles: null,
    ai_requests: null,
    storage_bytes: null,
    api_keys: 500,
    requests_per_minute: 1200,
  },
};
