import { ENV } from '../aws/env.ts';
import { hashApiKey, isApiKey } from '../model/api-key.ts';
import { PLANS, type ApiKey, type Plan, type Principal } from '../model/workspace.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { findApiKey, getMember, getWorkspace, touchApiKey } from '../store/workspaces.ts';
import { HOUR, SECOND } from '../time/instant.ts';
import { planTooLow, unauthorized } from './errors.ts';
import type { Route } from './route.ts';

/** Lowest plan whose keys may be used at all. */
const API_PLAN: Plan = 'starter';

/** How exactly it is known when a key was last used: a write an hour is enough. */
const USE_NOTED_EVERY_MS = HOUR;

/** A container trusts a key it knows for this long; revocations and role changes are effective within 30 s. */
const TRUST_MS = 25 * SECOND;

const known = new Map<string, { principal: Principal; until: number }>();

/** Whose key it is. Throws 401 for a missing or invalid key, 403 for a plan that is too low. */
export async function authenticate(
  services: Services,
  header: string | undefined,
  route: Route | null,
): Promise<Principal> {
  const key = keyOf(header);
  if (key === null) throw unauthorized();
  const principal = await principalOf(services, hashApiKey(key), route !== null);
  if (!principal) throw unauthorized();
  requirePlan(services, principal, { feature: 'API access', minimum: API_PLAN });
  if (route?.plan) requirePlan(services, principal, route.plan);
  return principal;
}

/** Throws 403 where the plan does not include a feature. */
export function requirePlan(
  services: Services,
  { plan }: Principal,
  { feature, minimum }: { feature: string; minimum: Plan },
): void {
  if (!reaches(plan, minimum)) {
    throw planTooLow(feature, minimum, plan, services.setting(ENV.upgradeUrl));
  }
}

export function reaches(plan: Plan, minimum: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(minimum);
}

/** The key in `Authorization: Bearer <key>`; the scheme in any case, white space ignored. A malformed key is none. */
function keyOf(header: string | undefined): string | null {
  const key = /^\s*bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1];
  return key !== undefined && isApiKey(key) ? key : null;
}

async function principalOf(services: Services, hash: string, isUse: boolean): Promise<Principal | null> {
  const now = services.now();
  const trusted = known.get(hash);
  if (trusted && trusted.until > now) return trusted.principal;
  known.delete(hash);
  const principal = await lookUp(services, hash, isUse);
  if (principal) known.set(hash, { principal, until: now + TRUST_MS });
  return principal;
}

/** `isUse`: a request that some route serves. */
async function lookUp(services: Services, hash: string, isUse: boolean): Promise<Principal | null> {
  const key = await findApiKey(services.table, hash);
  if (!key || key.revoked_at !== null) return null;
  const [workspace, member] = await Promise.all([
    getWorkspace(services.table, key.workspace_id),
    getMember(services.table, key.workspace_id, key.user_id),
  ]);
  if (!workspace || !member) return null;
  if (isUse) await noteUse(services, key);
  return {
    workspace_id: workspace.workspace_id,
    user_id: member.user_id,
    key_id: key.key_id,
    role: member.role,
    plan: workspace.plan,
  };
}

/** A use that cannot be noted is no reason to turn a request away. */
async function noteUse(services: Services, key: ApiKey): Promise<void> {
  const now = services.now();
  if (key.last_used_at !== null && key.last_used_at > now - USE_NOTED_EVERY_MS) return;
  try {
    await touchApiKey(services.table, key, now);
  } catch (error) {
    log.warn('The use of a key could not be noted', { key_id: key.key_id, ...describeError(error) });
  }
}
