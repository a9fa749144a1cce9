import * as v from 'valibot';
import { accountRecord, storeGrant } from '../../shared/connections/account.ts';
import { startAuthorization } from '../../shared/connections/oauth-state.ts';
import { withConnectContext } from '../../shared/connections/credentials.ts';
import { ENV } from '../../shared/aws/env.ts';
import { loadPlatformApp } from '../../shared/aws/platform-app.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError, notFound, validationFailed } from '../../shared/http/errors.ts';
import { validationDetails } from '../../shared/http/validate.ts';
import { readPlatformId, type PlatformId } from '../../shared/model/platform.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { readNetSettings } from '../../shared/net/settings.ts';
import { platformUrl } from '../../shared/net/platform-http.ts';
import type { DirectConnector, OAuthConnector } from '../../shared/platforms/contract/connector.ts';
import { CONNECTORS, RULES } from '../../shared/platforms/registry.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { findProfileByName } from '../../shared/store/profiles.ts';
import { toIso } from '../../shared/time/instant.ts';
import { answerPlatformError } from './platform-errors.ts';
import { AccountView } from './view.ts';

/** Fields that one or another platform's own form has; each is validated by its platform alone. */
const directFields = Object.fromEntries(
  Object.values(CONNECTORS)
    .filter(connector => connector.kind === 'direct')
    .flatMap(connector => Object.keys(connector.input.entries))
    .map(name => [name, v.optional(v.unknown())]),
);

const redirectUrl = v.pipe(
  v.string(),
  v.maxLength(2048, 'Must be at most 2048 characters'),
  v.check(isPageUrl, 'Must be the https URL of a page of yours'),
);

export const connect = route({
  method: 'POST',
  path: '/integrations/{platform}/connect',
  operation_id: 'connect',
  summary: 'Connect a social account to a profile',
  tag: 'Connections',
  auth: 'key',
  params: { platform: v.string() },
  body: {
    profile_name: v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty')),
    redirect_url: v.nullish(redirectUrl, null),
    ...directFields,
  },
  responses: {
    200: {
      description: 'Where to send the user to give consent',
      schema: v.object({ authorize_url: v.string(), state: v.string(), expires_at: v.string() }),
    },
    201: { description: 'The account is connected', schema: v.object({ account: AccountView }) },
    404: { description: 'Profile not found' },
    503: { description: 'The operator has not set the app of the platform, or the platform does not answer' },
    501: { description: 'This version cannot connect the platform yet' },
  },
  handler: async ({ params, body, principal, base_url }, services) => {
    const platform = readPlatformId(params.platform);
    if (!platform) throw notFound('Platform');
    if (body.redirect_url !== null) assertAllowed(body.redirect_url, services);
    const profile = await findProfileByName(services.table, principal.workspace_id, body.profile_name);
    if (!profile) throw notFound('Profile');
    const connector = CONNECTORS[platform];
    if (!connector) throw notAvailable(platform);
    return connector.kind === 'direct'
      ? connectDirectly(services, connector, profile, platform, body)
      : askForConsent(services, connector, profile, platform, base_url, body.redirect_url);
  },
});

/** The user entered the secrets: try them, and store what the platform says of them. */
async function connectDirectly(
  services: Services,
  connector: DirectConnector,
  profile: Profile,
  platform: PlatformId,
  body: Record<string, unknown>,
) {
  const input = v.safeParse(connector.input, body);
  if (!input.success) {
    throw validationFailed(validationDetails(input.issues, 'body').map(detail => ({ ...detail, platform })));
  }
  const grant = await answerPlatformError(platform, () =>
    withConnectContext(services, { platform }, context => connector.connect(input.output, context)),
  );
  const connection = await storeGrant(services, profile, platform, grant);
  return { status: 201, body: { account: accountRecord(connection, profile.profile_name) } } as const;
}

/** The platform asks its user: remember the request and tell where its consent page is. */
async function askForConsent(
  services: Services,
  connector: OAuthConnector,
  profile: Profile,
  platform: PlatformId,
  baseUrl: string,
  returnTo: string | null,
) {
  const app = await loadPlatformApp(services.ssm, services.setting(ENV.parameterPrefix), platform);
  if (!app) throw noApp(platform);
  const redirectUri = `${baseUrl}/integrations/${platform}/callback`;
  const begun = await startAuthorization(services, profile, platform, redirectUri, returnTo);
  const page = connector.authorizeUrl({
    app,
    state: begun.state,
    redirect_uri: redirectUri,
    code_challenge: begun.code_challenge,
  });
  return {
    status: 200,
    body: {
      authorize_url: platformUrl(platform, page),
      state: begun.state,
      expires_at: toIso(begun.expires_at),
    },
  } as const;
}

const notAvailable = (platform: PlatformId) =>
  new ApiError({
    status: 501,
    body: {
      error: `This version of the service cannot connect ${RULES[platform].display_name} yet`,
      code: 'PLATFORM_NOT_AVAILABLE',
      platform,
    },
  });

const noApp = (platform: PlatformId) =>
  new ApiError({
    status: 503,
    body: {
      error: `The operator has not set the ${platform} app's client_id and client_secret; run: npm run admin -- platform set ${platform}`,
      code: 'PLATFORM_NOT_CONFIGURED',
      platform,
    },
    headers: { 'retry-after': '300' },
  });

/** Throws 400 for a page that the operator does not send users to. Locally the developer's own pages are allowed. */
function assertAllowed(redirectUrl: string, services: Services): void {
  const allowed = services.setting(ENV.redirectAllowlist).split(',');
  const page = new URL(redirectUrl);
  if (allowed.includes('*') || allowed.includes(page.origin) || isOwnPage(page)) return;
  const message = 'Is not among the sites that the operator of this service allows (redirectAllowlist)';
  throw validationFailed([{ field: 'redirect_url', message, platform: null }]);
}

function isPageUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const page = new URL(text);
  return page.protocol === 'https:' || (page.protocol === 'http:' && isOwnPage(page));
}

/** A page on the machine of whoever runs the local stack. */
const isOwnPage = ({ hostname }: URL) =>
  (hostname === 'localhost' || hostname === '127.0.0.1') && readNetSettings().allowLoopback;
