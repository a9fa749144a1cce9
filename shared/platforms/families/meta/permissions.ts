import * as v from 'valibot';
import { SECOND } from '../../../time/instant.ts';
import { PlatformError } from '../../contract/error.ts';
import type { GraphClient } from './graph.ts';
import { GraphId } from './json.ts';

const PermissionsSchema = v.object({
  data: v.array(v.object({ permission: v.string(), status: v.string() })),
});

/** Returns the permissions that the user of the client's token granted. */
export async function grantedPermissions(client: GraphClient): Promise<string[]> {
  const { data } = await client.call(
    { what: 'Reading the granted permissions', purpose: 'read', method: 'GET', path: '/me/permissions' },
    PermissionsSchema,
  );
  return data.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
}

/** Throws PlatformError `rejected` that names the permissions which are missing. */
export function assertPermissions(
  platform: string,
  required: readonly string[],
  granted: readonly string[],
): void {
  const missing = required.filter(name => !granted.includes(name));
  if (missing.length === 0) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `${platform} did not grant ${missing.join(', ')}: connect again and allow all permissions`,
  });
}

const seconds = v.pipe(
  v.optional(v.number(), 0),
  v.transform(value => (value === 0 ? null : value * SECOND)),
);

const DebugSchema = v.object({
  data: v.object({
    type: v.optional(v.string(), ''),
    is_valid: v.boolean(),
    /** Epoch milliseconds; null for never. */
    expires_at: seconds,
    /** When access to the user's data ends without activity, epoch milliseconds; null for never. */
    data_access_expires_at: seconds,
    scopes: v.optional(v.array(v.string()), []),
    user_id: v.optional(GraphId),
    /** The Page of a Page token. */
    profile_id: v.optional(GraphId),
    error: v.optional(v.object({ message: v.optional(v.string(), ''), subcode: v.optional(v.number(), 0) })),
  }),
});
export type TokenFacts = v.InferOutput<typeof DebugSchema>['data'];

/** Returns what Meta knows about a token. `client`: with the app's token (`<id>|<secret>`). */
export async function debugToken(client: GraphClient, token: string): Promise<TokenFacts> {
  const { data } = await client.call(
    {
      what: 'Checking the token',
      purpose: 'read',
      method: 'GET',
      path: '/debug_token',
      query: { input_token: token },
    },
    DebugSchema,
  );
  return data;
}
