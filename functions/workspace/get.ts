import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import { PLAN_LIMITS } from '../../shared/model/plans.ts';
import { MAX_WEBHOOKS } from '../../shared/model/webhook.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { countProfiles } from '../../shared/store/profiles.ts';
import { readBucket } from '../../shared/store/rate-limits.ts';
import { storageUsed } from '../../shared/store/storage.ts';
import { getMonthlyUsage } from '../../shared/store/usage.ts';
import { listWebhooks } from '../../shared/store/webhooks.ts';
import { countApiKeys, getWorkspace as readWorkspace } from '../../shared/store/workspaces.ts';
import { MINUTE, nextMonth, toIso } from '../../shared/time/instant.ts';
import { listQuotas } from './quotas.ts';
import { WorkspaceRecord } from './record.ts';

export const getWorkspace = route({
  method: 'GET',
  path: '/workspace',
  operation_id: 'getWorkspace',
  summary: 'Get plan, role and usage of every limit',
  tag: 'Workspace',
  auth: 'key',
  responses: { 200: { description: 'The workspace', schema: WorkspaceRecord } },
  handler: async ({ principal }, services) => {
    const [workspace, usage, platform_quotas] = await Promise.all([
      readWorkspace(services.table, principal.workspace_id),
      usageOf(services, principal),
      listQuotas(services, principal),
    ]);
    if (!workspace) throw notFound('Workspace');
    const { workspace_id, name, plan, created_at } = workspace;
    const { role, user_id } = principal;
    const body = { id: workspace_id, name, plan, role, user_id, created_at: toIso(created_at), usage };
    return { status: 200, body: { ...body, platform_quotas } };
  },
});

async function usageOf(services: Services, principal: Principal) {
  const { table } = services;
  const { workspace_id, plan, key_id } = principal;
  const now = services.now();
  const limits = PLAN_LIMITS[plan];
  const [profiles, generations, webhooks, apiKeys, storage, fullAt] = await Promise.all([
    countProfiles(table, workspace_id),
    getMonthlyUsage(table, workspace_id, 'AI', now),
    listWebhooks(table, workspace_id),
    countApiKeys(table, workspace_id),
    storageUsed(table, workspace_id),
    readBucket(table, key_id),
  ]);
  return {
    profiles: { used: profiles, limit: limits.profiles, resets_at: null },
    ai_requests: { used: generations, limit: limits.ai_requests, resets_at: toIso(nextMonth(now)) },
    webhooks: { used: webhooks.length, limit: MAX_WEBHOOKS, resets_at: null },
    api_keys: { used: apiKeys, limit: limits.api_keys, resets_at: null },
    storage_bytes: { used: storage, limit: limits.storage_bytes, resets_at: null },
    requests_per_minute: requestRate(limits.requests_per_minute, Math.max(fullAt ?? now, now), now),
  };
}

/** Usage of the caller's own key: the tokens missing from its bucket were used within the last minute. */
function requestRate(limit: number, fullAt: number, now: number) {
  const used = Math.min(limit, Math.ceil(((fullAt - now) * limit) / MINUTE));
  return { used, limit, resets_at: toIso(fullAt) };
}
