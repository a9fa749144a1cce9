import { defineConnector, type AppCredentials, type OAuthWay, type Target } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { requestToken } from './oauth.ts';
import { listProfiles, nameOf, pictureOf, readMyProfile, type Profile } from './profiles.ts';

const AUTHORIZE = 'https://accounts.snapchat.com/login/oauth2/authorize';
const SCOPE = 'snapchat-profile-api';

/** OAuth 2.0 of Snap's Business Manager, without PKCE. The account is the user's own public profile. */
const oauth: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: [SCOPE],

  authorizeUrl({ app, state, redirect_uri }) {
    const query = new URLSearchParams({
      client_id: app.client_id,
      redirect_uri,
      response_type: 'code',
      scope: SCOPE,
      state,
    });
    return `${AUTHORIZE}?${query.toString()}`;
  },

  async exchange({ app, code, redirect_uri }, context) {
    const form = { grant_type: 'authorization_code', code, redirect_uri };
    const { credentials, scopes, ...lifetime } = await requestToken(app, form, context, null).catch(
      rejectForGood,
    );
    if (scopes.length > 0 && !scopes.includes(SCOPE)) {
      const message = `Snapchat did not grant ${SCOPE}: connect again and allow access to the public profile`;
      throw new PlatformError({ kind: 'rejected', code: 'PERMISSION_MISSING', message });
    }
    const profile = await readMyProfile({ http: context.http, token: credentials.access_token });
    const { id, snap_user_name, organization_id } = profile;
    return {
      account: {
        platform_user_id: id,
        display_name: nameOf(profile),
        username: snap_user_name,
        avatar_url: pictureOf(profile),
      },
      credentials,
      scopes,
      attributes: organization_id === null ? {} : { organization_id },
      ...lifetime,
    };
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [oauth],
  targets: 'optional',

  /** The user's own public profile, and those of its business that the user may post to. */
  async listTargets({ credentials }, { http }) {
    const caller = { http, token: credentials.access_token };
    const own = await readMyProfile(caller);
    const { organization_id } = own;
    const all =
      organization_id === null ? [] : await listProfiles(caller, organization_id).catch(noneIfDenied);
    return [own, ...all.filter(({ id }) => id !== own.id)].map(targetOf);
  },

  async renew({ app, credentials: { refresh_token } }, context) {
    const form = { grant_type: 'refresh_token', refresh_token };
    const { credentials, expires_at, renew_at } = await requestToken(
      requireApp(app),
      form,
      context,
      refresh_token,
    );
    return { credentials, expires_at, renew_at };
  },
});

function targetOf(profile: Profile): Target {
  const picture_url = pictureOf(profile);
  return {
    id: profile.id,
    name: nameOf(profile),
    attributes: {
      ...(profile.snap_user_name === null ? {} : { username: profile.snap_user_name }),
      ...(picture_url === null ? {} : { picture_url }),
    },
    secrets: null,
  };
}

/** A creator may post to a profile without a role in its organization. */
function noneIfDenied(error: unknown): Profile[] {
  if (error instanceof PlatformError && error.kind === 'rejected') return [];
  throw error;
}

/** An authorization code can be used once: no failed exchange can be retried. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { code, message, outcomeUnknown } = error;
  throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}

function requireApp(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: 'The credentials of the Snapchat app are not set',
  });
}
