import * as v from 'valibot';
import { stackApp, unsealApp } from '../../shared/connections/apps.ts';
import { connectorOf } from '../../shared/connections/connector.ts';
import { consumeAuthorization } from '../../shared/connections/oauth-state.ts';
import { withConnectContext } from '../../shared/connections/platform-context.ts';
import { storeGrant } from '../../shared/connections/store-grant.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { findPlatform } from '../../shared/http/platform.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { findWay } from '../../shared/platforms/contract/connector.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { OAuthState } from '../../shared/store/connections.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { callbackPage, isBrowser, PAGE_HEADERS } from './callback-page.ts';
import { accountRecord, AccountRecord } from './record.ts';

const optional = v.optional(v.string());

export const callback = route({
  method: 'GET',
  path: '/integrations/{platform}/callback',
  operation_id: 'getConnectionOutcome',
  summary: "Receive the user from a platform's consent page",
  tag: 'Connections',
  auth: 'none',
  params: { platform: v.string() },
  query: { state: v.optional(v.string(), ''), code: optional, error: optional, error_description: optional },
  responses: {
    200: {
      description:
        'The account is connected, and the connect request had no redirect_url. Browsers get a page',
      html: true,
      schema: v.pipe(
        v.object({ status: v.literal('connected'), account: AccountRecord }),
        v.title('ConnectionCompleted'),
      ),
    },
    302: {
      description:
        'Redirects to redirect_url with `status`, `platform` and, on failure, `reason` and `message`, which says what to do',
    },
    400: {
      codes: ['BAD_STATE'],
      description:
        'The account is not connected, and the connect request had no redirect_url; or the state is not valid. Browsers get a page',
      html: true,
      schema: v.pipe(
        v.object({ status: v.literal('failed'), reason: v.string(), message: v.optional(v.string()) }),
        v.title('ConnectionFailed'),
      ),
    },
  },
  handler: async ({ params, query, headers }, services) => {
    const platform = findPlatform(params.platform);
    const pending = await consumeAuthorization(services, platform, query.state);
    if (!pending) {
      if (isBrowser(headers)) return pageOf(400, 'Not connected', BAD_STATE);
      throw badState();
    }
    const outcome =
      query.code === undefined
        ? failed(pending, query.error ?? 'no_code')
        : await exchangeCode(services, platform, pending, query.code);
    return isBrowser(headers) ? asPage(platform, outcome) : outcome;
  },
});

function pageOf<S extends 200 | 400>(status: S, title: string, text: string) {
  return { status, raw: callbackPage({ title, text }), headers: PAGE_HEADERS };
}

/** Redirects stay as they are. */
function asPage(platform: PlatformId, outcome: Outcome) {
  if (outcome.status === 302) return outcome;
  const { display_name } = BASICS[platform];
  if (outcome.status === 200) {
    const { account } = outcome.body;
    const name = account.username ?? account.display_name;
    return pageOf(
      200,
      `${display_name} is connected`,
      `${name} can now be posted to. You can close this page.`,
    );
  }
  const { reason, message } = outcome.body;
  const text = message ?? `Reason: ${reason}. Start again from where you came.`;
  return pageOf(400, `${display_name} is not connected`, text);
}

async function exchangeCode(
  services: Services,
  platform: PlatformId,
  pending: OAuthState,
  code: string,
): Promise<Outcome> {
  const connector = await connectorOf(platform);
  const way = connector && findWay(connector, pending.way);
  const profile = await getProfile(services.table, pending.workspace_id, pending.profile_id);
  if (!connector || way?.kind !== 'oauth' || !profile) {
    return failed(pending, 'not_possible');
  }
  const ownApp = pending.app && (await unsealApp(services, pending.id, pending.app));
  const app = ownApp ?? (await stackApp(services, way.app_platform ?? platform));
  if (!app) return failed(pending, 'not_possible');
  try {
    const { redirect_uri, code_verifier } = pending;
    const grant = await withConnectContext(services, platform, context =>
      way.exchange({ app, code, redirect_uri, code_verifier }, context),
    );
    const connection = await storeGrant(services, {
      profile,
      platform,
      connector,
      way: way.id,
      grant,
      ownApp,
    });
    return connected(pending, accountRecord(connection, profile.profile_name, services.now()));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn('Could not connect an account', { platform, ...describeError(error) });
    return failed(pending, error.code.toLowerCase(), error.message);
  }
}

type Outcome = ReturnType<typeof connected> | ReturnType<typeof failed>;

function connected(pending: OAuthState, account: ReturnType<typeof accountRecord>) {
  if (pending.return_to !== null) return redirect(pending.return_to, pending.platform, 'connected');
  return { status: 200, body: { status: 'connected', account } } as const;
}

/** `message`: what the user can do, where the platform or its connector said so. */
function failed(pending: OAuthState, reason: string, message?: string) {
  const failure: { reason: string; message?: string } = {
    reason,
    ...(message === undefined ? {} : { message }),
  };
  if (pending.return_to !== null) return redirect(pending.return_to, pending.platform, 'failed', failure);
  return { status: 400 as const, body: { status: 'failed' as const, ...failure } };
}

/** Returns the user to the page that the connect request named. */
function redirect(
  returnTo: string,
  platform: string,
  status: 'connected' | 'failed',
  failure: Record<string, string> = {},
) {
  const page = new URL(returnTo);
  page.searchParams.set('status', status);
  page.searchParams.set('platform', platform);
  for (const [name, value] of Object.entries(failure)) page.searchParams.set(name, value);
  return { status: 302, headers: { location: page.toString() } } as const;
}

const BAD_STATE =
  'The state is unknown, was used already, or is older than ten minutes: start again with POST /integrations/{platform}/connect';

const badState = () => new ApiError({ status: 400, body: { error: BAD_STATE, code: 'BAD_STATE' } });
