import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { addContainers } from './containers.ts';
import { addInsights } from './insights.ts';
import { addLogin, addOAuth } from './oauth.ts';
import { addPublishing } from './publish.ts';
import { addReads } from './reads.ts';
import { unknownPath } from './responses.ts';
import { APP, ChangeSchema, findAccount, openState, seedAccounts } from './state.ts';

const API_HOSTS = ['graph.threads.net', 'graph.threads.com'];
const LOGIN_HOSTS = ['www.threads.com', 'threads.com', 'www.threads.net', 'threads.net'];

/** Threads API v1.0: short-lived and long-lived tokens, containers, publishing with its quota, and insights. */
export const sandbox: SandboxDefinition = {
  platform: 'threads',
  badge: { name: 'Threads', letters: '@', color: '#101010', darkColor: '#4b4b4b' },
  hosts: [...API_HOSTS, ...LOGIN_HOSTS],
  links: text =>
    findLinks(text, {
      hashtag: tag => `https://www.threads.com/search?q=${encodeURIComponent(tag)}&serp_type=tags`,
      screenName: name => `https://www.threads.com/@${name}`,
    }),
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const api = new Hono();
  addOAuth(api, state);
  addContainers(api, state);
  addPublishing(api, state);
  addInsights(api, state);
  addReads(api, state);
  const login = new Hono();
  addLogin(login, state);

  const app = new Hono();
  for (const name of API_HOSTS) app.route(`/${name}`, api);
  for (const name of LOGIN_HOSTS) app.route(`/${name}`, login);
  app.notFound(c => unknownPath(c.req.path.replace(/^\/[^/]+/, '')));
  app.onError(thrownResponse);

  return {
    app,
    // The access token is its own refresh credential.
    tokens: (action, account) => {
      const owner = account === null ? null : findAccount(state, account)?.id;
      for (const [token, stored] of state.tokens.entries()) {
        if (owner !== null && owner !== stored.account_id) continue;
        const ended = action === 'expire' ? { expires_at: host.now() } : { revoked: true };
        state.tokens.set(token, { ...stored, ...ended });
      }
    },
    change: (name, change) => {
      const account = findAccount(state, name);
      if (!account) return false;
      state.accounts.set(account.id, { ...account, ...v.parse(ChangeSchema, change) });
      return true;
    },
    reset: () => {
      seedAccounts(state);
      for (const collection of [state.tokens, state.containers, state.media]) collection.clear();
      state.codes.clear();
      state.deletions.clear();
    },
  };
}
