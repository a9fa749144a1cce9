import * as v from 'valibot';
import { accountRecord, storeGrant } from '../../shared/connections/account.ts';
import { consumeAuthorization } from '../../shared/connections/oauth-state.ts';
import { withConnectContext } from '../../shared/connections/credentials.ts';
import { ENV } from '../../shared/aws/env.ts';
import { loadPlatformApp } from '../../shared/aws/platform-app.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError, notFound } from '../../shared/http/errors.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { CONNECTORS } from '../../shared/platforms/registry.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { OAuthState } from '../../shared/store/connections.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { AccountView } from './view.ts';

type Account = ReturnType<typeof accountRecord>;

const optional = v.optional(v.string());

export const callback = route({
  method: 'GET',
  path: '/integrations/{platform}/callback',
  operation_id: 'callback',
  summary: "Where a platform's consent page sends the user back to",
  tag: 'Connections',
  auth: 'none',
  params: { platform: v.string() },
  query: { state: v.optional(v.string(), ''), code: optional, error: optional, error_description: optional },
  responses: {
    200: {
      description: 'The account is connected, and no redirect_url was named',
      schema: v.object({ status: v.literal('connected'), account: AccountView }),
    },
    302: { description: 'Back to redirect_url, with `status`, `platform` and perhaps `reason`' },
    400: {
      description: 'The account is not connected, and no redirect_url was named; or the state is not valid',
      schema: v.object({ status: v.literal('failed'), reason: v.string() }),
    },
  },
  handler: async ({ params, query }, services) => {
    const platform = v.safeParse(PlatformIdSchema, params.platform);
    if (!platform.success) throw notFound('Platform');
    const request = await consumeAuthorization(services, platform.output, query.state);
    if (!request) throw badState();
    if (query.code === undefined) {
      return notConnected(request, query.error ?? 'no_code');
    }
    return finish(services, platform.output, request, query.code);
  },
});

async function finish(
  services: Services,
  platform: PlatformId,
  request: OAuthState,
  code: string,
) {
  const connector = CONNECTORS[platform];
  const profile = await getProfile(services.table, request.workspace_id, request.profile_id);
  const app = await loadPlatformApp(services.ssm, services.setting(ENV.parameterPrefix), platform);
  if (connector?.kind !== 'oauth' || !profile || !app)
    return notConnected(request, 'not_possible');
  try {
    const { redirect_uri, code_verifier } = request;
    const grant = await withConnectContext(services, { platform }, context =>
      connector.exchange({ app, code, redirect_uri, code_verifier }, context),
    );
    const connection = await storeGrant(services, profile, platform, grant);
    return connected(request, accountRecord(connection, profile.profile_name));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('A connection failed', { platform, ...describeError(error) });
    return notConnected(request, error.code.toLowerCase());
  }
}

/** Redirects to the page that the caller named; without one the result is the response itself. */
function connected(request: OAuthState, account: Account) {
  return request.return_to === null
    ? ({ status: 200, body: { status: 'connected', account } } as const)
    : redirect(request.return_to, { status: 'connected', platform: request.platform });
}

function notConnected(request: OAuthState, reason: string) {
  return request.return_to === null
    ? ({ status: 400, body: { status: 'failed', reason } } as const)
    : redirect(request.return_to, { status: 'failed', platform: request.platform, reason });
}

function redirect(returnTo: string, query: Readonly<Record<string, string>>) {
  const page = new URL(returnTo);
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
  return { status: 302, headers: { location: page.toString() } } as const;
}

const badState = () =>
  new ApiError({
    status: 400,
    body: {
      error: 'This consent was already used, is older than ten minutes, or was not asked for here',
      code: 'BAD_STATE',
    },
  });
