import { ENV } from '../aws/env.ts';
import { hashApiKey, isApiKey } from '../model/api-key.ts';
import { PLANS, type ApiKey, type Plan, type Principal } from '../model/workspace.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { findApiKey, getMember, getWorkspace, recordApiKeyUse } from '../store/workspaces.ts';
import { HOUR, SECOND } from '../time/instant.ts';
import { planTooLow, unauthorized } from './errors.ts';
import { assertScope } from './key-scope.ts';
import type { Route } from './route.ts';

/** Lowest plan that includes API access. */
const API_PLAN: Plan = 'starter';

/** Resolution of `last_used_at`: at most one write an hour for each key. */
const LAST_USED_RESOLUTION_MS = HOUR;

/** Cache lifetime in a container. Revocations and role changes take effect within 30 s. */
const CACHE_MS = 25 * SECOND;

const cache = new Map<string, { principal: Principal; until: number }>();

/** Returns the principal of an `Authorization` header. Throws 401 for a missing or invalid key, 403 for a plan that is too low. */
export async function authenticate(
  services: Services,
  header: string | undefined,
  route: Route | null,
): Promise<Principal> {
  const key = readKey(header);
  if (key === null) throw unauthorized();
  const principal = await findPrincipal(services, hashApiKey(key), route !== null);
  if (!principal) throw unauthorized();
  requirePlan(services, principal, { feature: 'API access', minimum: API_PLAN });
  if (route?.plan) requirePlan(services, principal, route.plan);
  if (route) assertScope(principal, route);
  return principal;
}

/** Throws 403 unless the plan includes a feature. */
export function requirePlan(
  services: Services,
  { plan }: Principal,
  { feature, minimum }: { feature: string; minimum: Plan },
): void {
  if (!includesPlan(plan, minimum)) {
    throw planTooLow(feature, minimum, plan, services.setting(ENV.upgradeUrl));
  }
}

function includesPlan(plan: Plan, minimum: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(minimum);
}

/** Returns the key in `Authorization: Bearer <key>`, or null if it is missing or malformed. The scheme is case-insensitive. */
function readKey(header: string | undefined): string | null {
  const key = /^\s*bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1];
  return key !== undefined && isApiKey(key) ? key : null;
}

async function findPrincipal(
  services: Services,
  hash: string,
  countsAsUse: boolean,
): Promise<Principal | null> {
  const now = services.now();
  const cached = cache.get(hash);
  if (cached && cached.until > now) return isExpired(cached.principal, now) ? null : cached.principal;
  cache.delete(hash);
  const principal = await readPrincipal(services, hash, countsAsUse);
  if (principal) cache.set(hash, { principal, until: now + CACHE_MS });
  return principal;
}

/** `countsAsUse`: false for requests that no route serves. */
async function readPrincipal(
  services: Services,
  hash: string,
  countsAsUse: boolean,
): Promise<Principal | null> {
  const key = await findApiKey(services.table, hash);
  if (!key || key.revoked_at !== null || (key.valid_until ?? Infinity) <= services.now()) return null;
  const [workspace, member] = await Promise.all([
    getWorkspace(services.table, key.workspace_id),
    getMember(services.table, key.workspace_id, key.user_id),
  ]);
  if (!workspace || !member) return null;
  if (countsAsUse) await recordUse(services, key);
  return {
    workspace_id: workspace.workspace_id,
    user_id: member.user_id,
    key_id: key.key_id,
    role: member.role,
    plan: workspace.plan,
    ...restrictionsOf(key),
  };
}

function restrictionsOf({ scopes, profile_ids, valid_until }: ApiKey): Pick<Principal, 'restrictions'> {
  if (scopes === null && profile_ids === null && valid_until === null) return {};
  return { restrictions: { scopes, profile_ids, valid_until } };
}

const isExpired = ({ restrictions }: Principal, now: number) =>
  (restrictions?.valid_until ?? Infinity) <= now;

/** Stores `last_used_at`. A failure is logged only: the request goes on. */
async function recordUse(services: Services, key: ApiKey): Promise<void> {
  const now = services.now();
  if (key.last_used_at !== null && key.last_used_at > now - LAST_USED_RESOLUTION_MS) return;
  try {
    await recordApiKeyUse(services.table, key, now);
  } catch (error) {
    log.warn('Could not store the last use of an API key', { key_id: key.key_id, ...describeError(error) });
  }
}
