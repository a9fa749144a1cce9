import { DAY } from '../../time/instant.ts';
import { defineConnector, type ConnectContext, type OAuthWay } from '../contract/connector.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from '../families/google/credentials.ts';
import {
  checkGoogleApp,
  exchangeGoogleCode,
  googleAuthorizeUrl,
  renewGoogleTokens,
  revokeGoogleGrant,
} from '../families/google/oauth.ts';
import type { GoogleScope } from '../families/google/scopes.ts';
import type { Caller } from './call.ts';
import { channelAccount, channelFacts, getChannel } from './channel.ts';

const AUTH = 'https://www.googleapis.com/auth';

/** Covers every call of the Data API. */
const MANAGE: GoogleScope = {
  scope: `${AUTH}/youtube.force-ssl`,
  purpose: 'managing videos, captions, playlists and comments',
};
const ANALYTICS: GoogleScope = {
  scope: `${AUTH}/yt-analytics.readonly`,
  purpose: 'reading YouTube Analytics reports',
};
const SCOPES = [MANAGE, ANALYTICS];

/** A login stands for the channel that the user chooses on Google's page; channels of brand accounts appear there too. */
const oauth: OAuthWay<GoogleCredentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: SCOPES.map(({ scope }) => scope),

  authorizeUrl: input => googleAuthorizeUrl(input, SCOPES),

  async exchange(input, context) {
    // Without the analytics only some metrics are missing.
    const grant = await exchangeGoogleCode(input, [MANAGE], context);
    const channel = await getChannel(callerOf(grant.credentials, context));
    return {
      ...grant,
      account: { platform_user_id: channel.id, ...channelAccount(channel) },
      attributes: { ...grant.attributes, ...channelFacts(channel) },
    };
  },
};

export const connector = defineConnector<GoogleCredentials>({
  credentials: GoogleCredentialsSchema,
  ways: [oauth],
  targets: 'none',
  checkApp: checkGoogleApp,
  renew: ({ app, credentials }, context) => renewGoogleTokens(app, credentials, context),
  revoke: ({ credentials }, context) => revokeGoogleGrant(credentials, context),
  facts: {
    max_age_ms: DAY,
    read: async ({ credentials }, context) => {
      const channel = await getChannel(callerOf(credentials, context));
      return { attributes: channelFacts(channel), account: channelAccount(channel) };
    },
  },
});

const callerOf = (
  { access_token }: GoogleCredentials,
  { http, now }: Pick<ConnectContext, 'http' | 'now'>,
): Caller => ({ http, token: access_token, now, quota: null });
