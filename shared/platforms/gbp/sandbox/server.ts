import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { addGoogleOAuth } from '../../families/google/sandbox/oauth.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import {
  ACCOUNTS_HOST,
  LOCATIONS_HOST,
  PERFORMANCE_HOST,
  POSTS_HOST,
  SCOPE,
  STANDING_HOST,
} from './access.ts';
import { addAccounts } from './accounts.ts';
import { htmlNotFound } from './errors.ts';
import { addGallery } from './gallery.ts';
import { addPerformance } from './performance.ts';
import { addPosts } from './posts.ts';
import { APP, findUser, openState, switchesOf, SwitchesSchema } from './state.ts';

/** Google Business Profile: Google's OAuth 2.0, accounts and locations, local posts, the gallery, and metrics of locations. */
export const sandbox: SandboxDefinition = {
  platform: 'gbp',
  badge: { name: 'Google Business', letters: 'G', color: '#1a73e8' },
  hosts: [
    POSTS_HOST,
    ACCOUNTS_HOST,
    LOCATIONS_HOST,
    STANDING_HOST,
    PERFORMANCE_HOST,
    'accounts.google.com',
    'oauth2.googleapis.com',
  ],
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const app = new Hono();
  const tokens = addGoogleOAuth(app, {
    host,
    client: APP,
    scopes: [SCOPE],
    findAccount: name => {
      const user = findUser(name);
      return user ? { id: user.id, name: user.display_name } : null;
    },
    isTesting: id => {
      const user = findUser(id);
      return user !== undefined && switchesOf(state, user).testing;
    },
  });
  const guard = { state, tokens };
  addAccounts(app, guard);
  addPosts(app, guard);
  addGallery(app, guard);
  addPerformance(app, guard);
  app.notFound(htmlNotFound);
  app.onError(thrownResponse);

  return {
    app,
    tokens: (action, account) => {
      endTokens(tokens, action, account === null ? null : (findUser(account)?.id ?? account));
    },
    change: (name, change) => {
      const user = findUser(name);
      if (!user) return false;
      const switches = { ...switchesOf(state, user), ...change };
      state.switches.set(user.id, v.parse(v.strictObject(SwitchesSchema.entries), switches));
      return true;
    },
    reset: () => {
      for (const { name } of [...state.posts.values(), ...state.media.values()]) host.unpublish('gbp', name);
      for (const each of [state.switches, state.posts, state.media]) each.clear();
      state.counts.clear();
      tokens.codes.clear();
    },
  };
}
