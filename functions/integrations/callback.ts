import * as v from 'valibot';
import { accountRecord, storeGrant } from '../../shared/connections/account.ts';
import { endConnect } from '../../shared/connections/oauth-state.ts';
import { withContext } from '../../shared/connections/credentials.ts';
import { ENV } from '../../shared/aws/env.ts';
import { loadPlatformApp } from '../../shared/aws/platform-app.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError, notFound, type ApiResponse } from '../../shared/http/errors.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { CONNECTORS } from '../../shared/platforms/registry.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { OAuthState } from '../../shared/store/connections.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { AccountView } from './view.ts';

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
    const request = await endConnect(services, platform.output, query.state);
    if (!request) throw badState();
    if (query.code === undefined) {
      return goBack(request, 'failed', { reason: query.error ?? 'no_code' });
    }
    return finish(services, platform.output, request, query.code);
  },
});

async function finish(
  services: Services,
  platform: PlatformId,
  request: OAuthState,
  code: string,
): Promise<ApiResponse> {
  const connector = CONNECTORS[platform];
  const profile = await getProfile(services.table, request.workspace_id, request.profile_id);
  const app = await loadPlatformApp(services.ssm, services.setting(ENV.parameterPrefix), platform);
  if (connector?.kind !== 'oauth' || !profile || !app)
    return goBack(request, 'failed', { reason: 'not_possible' });
  try {
    const { redirect_uri, code_verifier } = request;
    const grant = await withContext(services, { platform }, context =>
      connector.exchange({ app, code, redirect_uri, code_verifier }, context),
    );
    const connection = await storeGrant(services, profile, platform, grant);
    return goBack(request, 'connected', { account: accountRecord(connection, profile.profile_name) });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('A connection failed', { platform, ...describeError(error) });
    return goBack(request, 'failed', { reason: error.code.toLowerCase() });
  }
}

/** To the page the caller named, or a plain answer where none was named. */
function goBack(
  request: OAuthState,
  status: 'connected' | 'failed',
  more: { reason?: string; account?: unknown },
): ApiResponse {
  if (request.return_to === null) {
    return { status: status === 'connected' ? 200 : 400, body: { status, ...more } };
  }
  const page = new URL(request.return_to);
  page.searchParams.set('status', status);
  page.searchParams.set('platform', request.platform);
  if (more.reason) page.searchParams.set('reason', more.reason);
  return { status: 302, headers: { location: page.toString() } };
}

const badState = () =>
  new ApiError({
    status: 400,
    body: {
      error: 'This consent was already used, is older than ten minutes, or was not asked for here',
      code: 'BAD_STATE',
    },
  });
