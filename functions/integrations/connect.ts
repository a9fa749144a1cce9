import * as v from 'valibot';
import { ENV } from '../../shared/aws/env.ts';
import { appForConnect } from '../../shared/connections/apps.ts';
import { connectorOf } from '../../shared/connections/connector.ts';
import { startAuthorization } from '../../shared/connections/oauth-state.ts';
import { withConnectContext } from '../../shared/connections/platform-context.ts';
import { storeGrant } from '../../shared/connections/store-grant.ts';
import { assertCreator } from '../../shared/http/access.ts';
import { route } from '../../shared/http/define-route.ts';
import { validationFailed } from '../../shared/http/errors.ts';
import { profileNameField } from '../../shared/http/fields.ts';
import { disabled, findPlatform, notAvailable } from '../../shared/http/platform.ts';
import { validationDetails } from '../../shared/http/validate.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { isListed, type PlatformId } from '../../shared/model/platform.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { platformUrl } from '../../shared/net/platform-http.ts';
import {
  findWay,
  type Connector,
  type DirectWay,
  type OAuthWay,
  type Way,
} from '../../shared/platforms/contract/connector.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { toIso } from '../../shared/time/instant.ts';
import { notConfigured } from './errors.ts';
import { answerPlatformError, PLATFORM_CODES, QUOTA_CODES } from '../../shared/http/platform-errors.ts';
import { assertAllowedRedirect, redirectUrlField } from './redirect-url.ts';
import { accountRecord, AccountRecord } from './record.ts';

/** The fields of all direct ways. The way that is used validates its own. */
const directFields = Object.fromEntries(
  Object.values(BASICS)
    .flatMap(({ connect_fields = [] }) => connect_fields)
    .map(name => [name, v.optional(v.unknown())]),
);

export const connect = route({
  method: 'POST',
  path: '/integrations/{platform}/connect',
  operation_id: 'connectAccount',
  summary: 'Connect a social account to a profile',
  description:
    'Platforms with a consent page answer its URL; others take the secrets in the body and connect at once. A profile has one account per platform: connecting another replaces it. `way` chooses between the logins of a platform that has several.',
  tag: 'Connections',
  auth: 'key',
  access: 'creator',
  params: { platform: v.string() },
  body: {
    profile_name: profileNameField,
    redirect_url: v.nullish(redirectUrlField, null),
    way: v.nullish(v.string(), null),
    ...directFields,
  },
  responses: {
    200: {
      description: 'The consent page to send the user to',
      schema: v.pipe(
        v.object({ authorize_url: v.string(), state: v.string(), expires_at: v.string() }),
        v.title('ConsentPage'),
      ),
    },
    201: {
      description: 'The account is connected',
      schema: v.pipe(v.object({ account: AccountRecord }), v.title('ConnectedAccount')),
    },
    404: { description: 'Platform or profile not found' },
    429: {
      description: 'A quota of the platform is used up, or the rate limit of the API key',
      codes: QUOTA_CODES,
    },
    501: {
      description: 'This version cannot connect the platform yet, or the deployment leaves it out',
      codes: ['PLATFORM_NOT_AVAILABLE'],
    },
    503: {
      description: 'No app is set for the platform, or the platform does not answer',
      codes: ['PLATFORM_NOT_CONFIGURED', ...PLATFORM_CODES],
    },
  },
  handler: async ({ params, body, principal, base_url }, services) => {
    const platform = findPlatform(params.platform);
    if (body.redirect_url !== null) assertAllowedRedirect(body.redirect_url, services);
    const profile = await requireProfileByName(services, principal, body.profile_name);
    assertCreator(principal, profile.created_by, 'profiles');
    const connector = await connectorOf(platform);
    if (!connector) throw notAvailable(platform);
    if (isListed(services.setting(ENV.disabledPlatforms), platform)) throw disabled(platform);
    const way = chosenWay(connector, platform, body.way);
    return way.kind === 'direct'
      ? connectDirectly(services, { profile, platform, connector, way }, body)
      : requestConsent(services, { profile, platform, way }, base_url, body.redirect_url);
  },
});

/** The way that the body names, else the platform's first. Throws 400. */
function chosenWay(connector: Connector, platform: PlatformId, id: string | null): Way<JsonObject> {
  const way = id === null ? connector.ways[0] : findWay(connector, id);
  if (way) return way;
  const message = `way must be one of: ${connector.ways.map(each => each.id).join(', ')}`;
  throw validationFailed([{ field: 'way', message, platform }]);
}

interface DirectConnect {
  profile: Profile;
  platform: PlatformId;
  connector: Connector;
  way: DirectWay<JsonObject>;
}

/** Connects with the secrets of the body. */
async function connectDirectly(
  services: Services,
  { profile, platform, connector, way }: DirectConnect,
  body: Record<string, unknown>,
) {
  const input = v.safeParse(way.input, body);
  if (!input.success) {
    throw validationFailed(validationDetails(input.issues, 'body').map(detail => ({ ...detail, platform })));
  }
  const connection = await answerPlatformError(services, platform, async () => {
    const grant = await withConnectContext(services, platform, context => way.connect(body, context));
    return storeGrant(services, { profile, platform, connector, way: way.id, grant, ownApp: null });
  });
  const account = accountRecord(connection, profile.profile_name, services.now());
  return { status: 201, body: { account } } as const;
}

interface ConsentRequest {
  profile: Profile;
  platform: PlatformId;
  way: OAuthWay<JsonObject>;
}

/** Starts an authorization and answers the URL of the consent page. */
async function requestConsent(
  services: Services,
  { profile, platform, way }: ConsentRequest,
  baseUrl: string,
  returnTo: string | null,
) {
  const appPlatform = way.app_platform ?? platform;
  const found = await appForConnect(services, profile.workspace_id, appPlatform);
  if (!found) throw notConfigured(appPlatform);
  const redirectUri = `${baseUrl}/integrations/${platform}/callback`;
  const { state, code_challenge, expires_at } = await startAuthorization(services, {
    profile,
    platform,
    way: way.id,
    ownApp: found.is_own ? found.app : null,
    redirectUri,
    returnTo,
  });
  const page = way.authorizeUrl({ app: found.app, state, redirect_uri: redirectUri, code_challenge });
  return {
    status: 200,
    body: { authorize_url: platformUrl(platform, page), state, expires_at: toIso(expires_at) },
  } as const;
}
