import { Hono } from 'hono';
import * as v from 'valibot';
import type {
  SandboxCollection,
  SandboxDefinition,
  SandboxHost,
  SandboxPlatform,
} from '../../contract/sandbox.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { addAssets } from './assets.ts';
import { addComments } from './comments.ts';
import { addOAuth } from './oauth.ts';
import { addPeople } from './people.ts';
import { addPosts } from './posts.ts';
import {
  COMMUNITY,
  findMember,
  openState,
  seed,
  settingsOf,
  SettingsSchema,
  type StoredToken,
} from './state.ts';
import { addStatistics } from './statistics.ts';
import { addVideos } from './videos.ts';

/** Permissions that a Community Management app gets on request. */
const EXTRA_SCOPES =
  'w_member_social_feed w_organization_social_feed r_organization_social_feed r_member_postAnalytics';

/** LinkedIn: both kinds of apps, versioned API, uploads, posts in its markup, comments and statistics. */
export const sandbox: SandboxDefinition = {
  platform: 'linkedin',
  badge: { name: 'LinkedIn', letters: 'in', color: '#0a66c2' },
  hosts: ['api.linkedin.com', 'www.linkedin.com'],
  secrets: { path: /(?<=^\/dms-uploads\/)[^/]+/ },
  links: text =>
    findLinks(text, {
      hashtag: tag => `https://www.linkedin.com/feed/hashtag/?keywords=${encodeURIComponent(tag)}`,
    }),
  demo: {
    app: {
      client_id: COMMUNITY.client_id,
      client_secret: COMMUNITY.client_secret,
      kind: 'community',
      extra_scopes: EXTRA_SCOPES,
    },
  },
  start,
};

const MemberChangeSchema = v.strictObject({ roles: v.record(v.string(), v.string()) });

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const app = new Hono();
  addOAuth(app, state);
  addPeople(app, state);
  addAssets(app, state);
  addVideos(app, state);
  addPosts(app, state);
  addComments(app, state);
  addStatistics(app, state);
  app.notFound(c =>
    c.json({ status: 404, code: 'RESOURCE_NOT_FOUND', message: 'No virtual resource found' }, 404),
  );
  app.onError(thrownResponse);

  return {
    app,
    tokens: (action, account) => {
      const owner = account === null ? null : findMember(state, account)?.id;
      const end = (tokens: SandboxCollection<StoredToken>, to: StoredToken['state']) => {
        for (const [token, stored] of tokens.entries()) {
          if (owner === null || owner === stored.member_id) tokens.set(token, { ...stored, state: to });
        }
      };
      if (action !== 'revoke_refresh') end(state.access, action === 'expire' ? 'expired' : 'revoked');
      if (action !== 'expire') end(state.refresh, 'revoked');
    },
    change: (name, change) => {
      if (name === 'app') {
        const settings = { ...settingsOf(state), ...change };
        state.settings.set('app', v.parse(v.strictObject(SettingsSchema.entries), settings));
        return true;
      }
      const member = findMember(state, name);
      if (!member) return false;
      state.members.set(member.id, { ...member, ...v.parse(MemberChangeSchema, change) });
      return true;
    },
    reset: () => {
      seed(state);
      state.posts.clear();
      state.assets.clear();
      state.codes.clear();
    },
  };
}
