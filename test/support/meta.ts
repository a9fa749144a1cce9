import { Hono } from 'hono';
import type { SandboxDefinition } from '../../shared/platforms/contract/sandbox.ts';
import { addAccounts } from '../../shared/platforms/families/meta/sandbox/accounts.ts';
import { addLoginDialog, addTokenEndpoint } from '../../shared/platforms/families/meta/sandbox/login.ts';
import {
  changeMetaAccount,
  endTokens,
  openMetaState,
  resetMetaState,
} from '../../shared/platforms/families/meta/sandbox/state.ts';
import { serveVersions } from '../../shared/platforms/families/meta/sandbox/versions.ts';

export const META_APP = { client_id: '1111', client_secret: 'meta-secret' };
export const META_SCOPES = [
  'pages_show_list',
  'pages_manage_posts',
  'business_management',
  'instagram_basic',
];

/** Facebook Login and the Pages of its users, without anything to publish. */
export const metaSandbox: SandboxDefinition = {
  platform: 'facebook',
  badge: { name: 'Meta', letters: 'M', color: '#0866ff' },
  hosts: ['www.facebook.com', 'graph.facebook.com'],
  demo: { app: META_APP },
  start: host => {
    const state = openMetaState(host, { platform: 'facebook', app: META_APP, scopes: META_SCOPES });
    const app = new Hono();
    const api = new Hono();
    addLoginDialog(app, state);
    addTokenEndpoint(api, state);
    addAccounts(api, state);
    serveVersions(app, api, ['graph.facebook.com']);
    return {
      app,
      tokens: (action, account) => endTokens(state, action, account),
      change: (account, change) => changeMetaAccount(state, account, change),
      reset: () => resetMetaState(state),
    };
  },
};
