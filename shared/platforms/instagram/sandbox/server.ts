import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { addAccounts } from '../../families/meta/sandbox/accounts.ts';
import { addLoginDialog, addTokenEndpoint } from '../../families/meta/sandbox/login.ts';
import { graphErrorBody } from '../../families/meta/sandbox/responses.ts';
import { changeMetaAccount, endTokens } from '../../families/meta/sandbox/state.ts';
import { serveVersions } from '../../families/meta/sandbox/versions.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { allowed, HOSTS, type GraphHost } from './access.ts';
import { createComment, listComments } from './comments.ts';
import { createContainer } from './containers.ts';
import { addLogin } from './login.ts';
import { publish, readLimit } from './publishing.ts';
import { deleteMedia, listMedia, readInsights, readObject } from './reads.ts';
import { APP, ChangeSchema, findAccount, openState, resetState, type InstagramState } from './state.ts';
import { addUploads } from './uploads.ts';

/** Instagram: two logins on two hosts, containers that fetch their files, publishing, comments and insights. */
export const sandbox: SandboxDefinition = {
  platform: 'instagram',
  badge: { name: 'Instagram', letters: 'IG', color: '#c13584' },
  hosts: [
    'www.instagram.com',
    'api.instagram.com',
    'graph.instagram.com',
    'www.facebook.com',
    'graph.facebook.com',
    'rupload.facebook.com',
  ],
  secrets: { query: ['fb_exchange_token', 'input_token', 'appsecret_proof', 'client_secret', 'code'] },
  links: text =>
    findLinks(text, {
      hashtag: tag => `https://www.instagram.com/explore/tags/${encodeURIComponent(tag)}/`,
      screenName: name => `https://www.instagram.com/${name}/`,
    }),
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const app = new Hono();
  const api = new Hono();
  addLoginDialog(app, state.facebook);
  addTokenEndpoint(api, state.facebook);
  addAccounts(api, state.facebook);
  addLogin(app, api, state);
  addUploads(app, state);
  for (const each of HOSTS) addGraph(api, state, each);
  serveVersions(app, api, HOSTS);
  for (const each of [app, api]) {
    each.notFound(c =>
      c.json(graphErrorBody({ code: 2500, message: `Unknown path components: ${c.req.path}` }), 400),
    );
    each.onError(thrownResponse);
  }
  return {
    app,
    tokens: (action, account) => {
      endTokens(state.facebook, action, account);
      endTokens(
        state.instagram,
        action,
        account === null ? null : (findAccount(state, account)?.id ?? account),
      );
    },
    change: (name, change) => changeAccount(state, name, change),
    reset: () => resetState(state),
  };
}

function addGraph(api: Hono, state: InstagramState, host: GraphHost): void {
  const path = (rest: string) => `/${host}/:id${rest}`;
  const on = (permission: Parameters<typeof allowed>[2], handler: Parameters<typeof allowed>[3]) =>
    allowed(state, host, permission, handler);
  api.post(
    path('/media'),
    on('content_publish', (c, caller) => createContainer(c, state, caller)),
  );
  api.post(
    path('/media_publish'),
    on('content_publish', (c, caller) => publish(c, state, caller)),
  );
  api.get(
    path('/content_publishing_limit'),
    on('content_publish', (c, caller) => readLimit(c, state, caller)),
  );
  for (const edge of ['media', 'stories'] as const) {
    api.get(
      path(`/${edge}`),
      on('basic', (c, caller) => listMedia(c, state, caller, edge)),
    );
  }
  api.post(
    path('/comments'),
    on('manage_comments', (c, caller) => createComment(c, state, caller)),
  );
  api.get(
    path('/comments'),
    on('basic', (c, caller) => listComments(c, state, caller)),
  );
  api.get(
    path('/insights'),
    on('manage_insights', (c, caller) => readInsights(c, state, caller)),
  );
  api.get(
    path(''),
    on('basic', (c, caller) => readObject(c, state, caller)),
  );
  if (host === 'graph.facebook.com') {
    api.delete(
      path(''),
      on('manage_contents', (c, caller) => deleteMedia(c, state, caller)),
    );
  }
}

/** Changes an Instagram account by its modes; any other change concerns a user of Facebook Login or the app. */
function changeAccount(state: InstagramState, name: string, change: object): boolean {
  const account = findAccount(state, name);
  if (account && v.is(ChangeSchema, change)) {
    state.accounts.set(account.id, { ...account, modes: { ...account.modes, ...change } });
    return true;
  }
  if (name === 'app') changeMetaAccount(state.instagram, name, change);
  return changeMetaAccount(state.facebook, name, change);
}
