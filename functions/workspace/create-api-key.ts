import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { forbidden } from '../../shared/http/errors.ts';
import { idField } from '../../shared/http/fields.ts';
import { PLAN_LIMITS } from '../../shared/model/plans.ts';
import type { Member, Principal } from '../../shared/model/workspace.ts';
import { createApiKey as issueKey, type IssuedKey, type NewApiKey } from '../../shared/runtime/bootstrap.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { listApiKeys, revokeApiKey } from '../../shared/store/workspaces.ts';
import { findMember } from './access.ts';
import { expiresAtField, keyNameField, profileIdsField, scopesField } from './fields.ts';
import { ApiKeyRecord, apiKeyRecord } from './record.ts';
import { readRestrictions, restrictionErrors } from './restrictions.ts';

export const createApiKey = route({
  method: 'POST',
  path: '/api-keys',
  operation_id: 'createApiKey',
  summary: 'Create an API key',
  description:
    'The key is returned once and cannot be retrieved later. It acts as its user: owners can create keys for every ' +
    'member, members for themselves only.\n\n' +
    '`scopes` restricts the key to kinds of operations: `read` all GET operations, `post` posts and AI, `media` uploads, ' +
    'media assets and playlists, `manage` everything else; every operation names its scope in `x-required-scope`. ' +
    '`profile_ids` restricts it to requests about these profiles. A request outside of the restrictions answers 403 with ' +
    'the code `KEY_SCOPE`; after `expires_at` the key answers 401. A restricted key can only create keys with at least ' +
    'the same restrictions.',
  tag: 'API keys',
  auth: 'key',
  refuses_unknown: true,
  body: {
    name: keyNameField,
    user_id: v.nullish(idField),
    expires_at: v.nullish(expiresAtField),
    scopes: v.nullish(scopesField),
    profile_ids: v.nullish(profileIdsField),
  },
  body_errors: restrictionErrors,
  body_example: { name: 'Website' },
  responses: {
    201: { description: 'The new key', schema: v.object({ api_key: ApiKeyRecord, key: v.string() }) },
    403: {
      description:
        'A member creates a key for another user, the plan allows no more keys, or the key of the request is more ' +
        'restricted',
      codes: ['KEY_LIMIT'],
    },
    404: { description: 'Member not found' },
  },
  handler: async ({ body, principal, newResourceId, asked_at }, services) => {
    const userId = body.user_id ?? principal.user_id;
    if (userId !== principal.user_id && principal.role !== 'owner') {
      throw forbidden('Members can create API keys for themselves only');
    }
    const member = await findMember(services, principal, userId);
    const restrictions = readRestrictions(principal, body);
    const request = { name: body.name, now: asked_at, id: newResourceId(), restrictions };
    const issued = await issueWithinLimit(services, principal, member, request);
    return { status: 201, body: { api_key: apiKeyRecord(issued.record), key: issued.key } };
  },
});

/** Expired keys are revoked when the limit is reached. Throws 403 if that is not enough. */
async function issueWithinLimit(
  services: Services,
  { workspace_id, plan }: Principal,
  member: Member,
  request: NewApiKey,
): Promise<IssuedKey> {
  const { api_keys: limit } = PLAN_LIMITS[plan];
  const issue = () => issueKey(services.table, member, { ...request, limit });
  const issued =
    (await issue()) ?? ((await revokeExpiredKeys(services, workspace_id)) ? await issue() : null);
  if (issued) return issued;
  throw forbidden(`The ${plan} plan allows ${limit} API keys, and all of them are in use; revoke one first`, {
    code: 'KEY_LIMIT',
    limit,
  });
}

/** Returns whether a key was revoked. */
async function revokeExpiredKeys(services: Services, workspaceId: string): Promise<boolean> {
  const now = services.now();
  const keys = await listApiKeys(services.table, workspaceId);
  const expired = keys.filter(({ valid_until }) => valid_until !== null && valid_until <= now);
  for (const { key_id } of expired) await revokeApiKey(services.table, workspaceId, key_id, now);
  return expired.length > 0;
}
