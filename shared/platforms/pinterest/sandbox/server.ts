import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { rateLimitHeaders } from './access.ts';
import { addMedia, addStorage, UPLOAD_HOST } from './media.ts';
import { addConsent, addOAuth, CONSENT_HOST } from './oauth.ts';
import { addPins } from './pins.ts';
import { addReads } from './reads.ts';
import { APP, ChangeSchema, findAccount, openState, seedAccounts } from './state.ts';

const API_HOSTS = ['api.pinterest.com', 'api-sandbox.pinterest.com'];

/** Pinterest API v5: continuous refresh tokens, boards, Pins, video upload to a storage, and analytics. */
export const sandbox: SandboxDefinition = {
  platform: 'pinterest',
  badge: { name: 'Pinterest', letters: 'P', color: '#bd081c' },
  hosts: [...API_HOSTS, CONSENT_HOST, UPLOAD_HOST],
  secrets: { fields: ['policy', 'x-amz-signature', 'x-amz-security-token'] },
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const api = new Hono();
  api.use(rateLimitHeaders(state));
  addOAuth(api, state);
  addMedia(api, state);
  addPins(api, state);
  addReads(api, state);

  const app = new Hono();
  addConsent(app, state);
  addStorage(app, state);
  for (const name of API_HOSTS) app.route(`/${name}`, api);
  app.notFound(c => c.json({ code: 404, message: 'Not found' }, 404));
  app.onError(thrownResponse);

  return {
    app,
    tokens: (action, account) => {
      endTokens(state, action, account === null ? null : findAccount(state, account)?.id);
    },
    change: (name, change) => {
      const account = findAccount(state, name);
      if (!account) return false;
      state.accounts.set(account.id, { ...account, ...v.parse(ChangeSchema, change) });
      return true;
    },
    reset: () => {
      seedAccounts(state);
      state.pins.clear();
      state.codes.clear();
      state.uploads.clear();
    },
  };
}
