import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { addMedia } from './media.ts';
import { ACCOUNTS_HOST, addOAuth } from './oauth.ts';
import { addPosts } from './posts.ts';
import { addProfiles } from './profiles.ts';
import { addReads } from './reads.ts';
import { AccountSchema, APP, ChangeSchema, findAccount, openState, seedAccounts } from './state.ts';
import { addStatistics } from './statistics.ts';

const API_HOST = 'businessapi.snapchat.com';

/** Snap's Public Profile API: profiles, encrypted media, stories, Spotlight videos and saved stories. */
export const sandbox: SandboxDefinition = {
  platform: 'snapchat',
  badge: { name: 'Snapchat', letters: 'S', color: '#7a7600' },
  hosts: [API_HOST, ACCOUNTS_HOST],
  secrets: { fields: ['key', 'iv'] },
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const api = new Hono();
  addProfiles(api, state);
  addMedia(api, state);
  addPosts(api, state);
  addReads(api, state);
  addStatistics(api, state);

  const app = new Hono();
  addOAuth(app, state);
  app.route(`/${API_HOST}`, api);
  app.notFound(c => c.json({ request_status: 'ERROR', debug_message: 'Unknown path' }, 404));
  app.onError(thrownResponse);

  return {
    app,
    tokens: (action, account) => {
      endTokens(state, action, account === null ? null : findAccount(state, account)?.id);
    },
    change: (name, change) => {
      const account = findAccount(state, name);
      if (!account) return false;
      state.accounts.set(
        account.id,
        v.parse(AccountSchema, { ...account, ...v.parse(ChangeSchema, change) }),
      );
      return true;
    },
    reset: () => {
      seedAccounts(state);
      state.posts.clear();
      state.codes.clear();
      state.media.clear();
    },
  };
}
