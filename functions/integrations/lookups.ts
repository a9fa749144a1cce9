import * as v from 'valibot';
import { loadFreshAccount, renewAccount } from '../../shared/connections/renew.ts';
import { toConnectedAccount, type LoadedAccount } from '../../shared/connections/load.ts';
import { withConnectContext } from '../../shared/connections/platform-context.ts';
import { route } from '../../shared/http/define-route.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import type { Route } from '../../shared/http/route.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import type { Lookup, PlatformLookups } from '../../shared/platforms/contract/lookups.ts';
import { openQuota } from '../../shared/quota/quota.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { findAnyAccount, findProfileAccount } from './find.ts';
import { answerPlatformError, PLATFORM_CODES, QUOTA_CODES } from '../../shared/http/platform-errors.ts';

/** The routes of the platforms' lookups: `GET` or `POST /integrations/{platform}/{name}`. */
export function lookupRoutes(
  lookups: Readonly<Partial<Record<PlatformId, PlatformLookups>>>,
): readonly Route[] {
  return Object.entries(lookups).flatMap(([platform, own]) =>
    own.map(lookup => lookupRoute(v.parse(PlatformIdSchema, platform), lookup)),
  );
}

function lookupRoute(platform: PlatformId, lookup: Lookup): Route {
  const { name, operation_id, summary, description, answer, method, any_profile, refuses_unknown } = lookup;
  const shared = {
    path: `/integrations/${platform}/${name}`,
    operation_id,
    summary,
    ...(description === undefined ? {} : { description }),
    tag: 'Connections',
    auth: 'key',
  } as const;
  const failures = {
    404: { description: 'Profile or account not found' },
    429: {
      description: 'A quota of the platform is used up, or the rate limit of the API key',
      codes: QUOTA_CODES,
    },
    503: { description: 'The platform does not answer', codes: PLATFORM_CODES },
  };
  const input = {
    profile_name: any_profile === true ? v.nullish(profileNameField, null) : profileNameField,
    ...lookup.input,
  };
  return method === 'GET'
    ? route({
        ...shared,
        method,
        query: input,
        responses: { 200: { description: 'As the platform answers it', schema: answer }, ...failures },
        handler: async ({ query, principal }, services) => ({
          status: 200,
          body: await answerLookup(services, platform, lookup, principal, query),
        }),
      })
    : route({
        ...shared,
        method,
        ...(refuses_unknown && { refuses_unknown }),
        body: input,
        responses: { 201: { description: 'Created at the platform', schema: answer }, ...failures },
        // A retry after a run that died may create a second one: the platform does not know the Idempotency-Key.
        handler: async ({ body, principal }, services) => ({
          status: 201,
          body: await answerLookup(services, platform, lookup, principal, body),
        }),
      });
}

async function answerLookup(
  services: Services,
  platform: PlatformId,
  lookup: Lookup,
  principal: Principal,
  input: { profile_name: string | null },
): Promise<unknown> {
  const connection =
    input.profile_name === null
      ? await findAnyAccount(services, principal, platform)
      : await findProfileAccount(services, principal, input.profile_name, platform);
  return answerPlatformError(services, platform, async () => {
    const account = await loadFreshAccount(services, connection, connection.default_target_id ?? null);
    try {
      return await run(services, lookup, account, input);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
      return run(services, lookup, await renewAccount(services, account, error), input);
    }
  });
}

function run(services: Services, lookup: Lookup, account: LoadedAccount, input: unknown): Promise<unknown> {
  const { platform, platform_user_id } = account.connection;
  const quota = openQuota(services, { app: account.app, account_id: platform_user_id }, platform);
  return withConnectContext(services, platform, context =>
    lookup.run({ ...toConnectedAccount(account), target: account.target }, input, { ...context, quota }),
  );
}
