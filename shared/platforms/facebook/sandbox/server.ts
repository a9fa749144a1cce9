import { Hono } from 'hono';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { addAccounts } from '../../families/meta/sandbox/accounts.ts';
import { addLoginDialog, addTokenEndpoint } from '../../families/meta/sandbox/login.ts';
import { graphErrorBody } from '../../families/meta/sandbox/responses.ts';
import { changeMetaAccount, endTokens, resetMetaState } from '../../families/meta/sandbox/state.ts';
import { serveVersions } from '../../families/meta/sandbox/versions.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { addComments } from './comments.ts';
import { addObjects } from './objects.ts';
import { addPhotos } from './photos.ts';
import { addPosts } from './posts.ts';
import { addReels } from './reels.ts';
import { APP, openState } from './state.ts';
import { settle } from './video-status.ts';
import { addVideos } from './videos.ts';

/** Facebook Pages: login with Page tokens, posts, photos, videos, Reels, comments and insights. */
export const sandbox: SandboxDefinition = {
  platform: 'facebook',
  badge: { name: 'Facebook', letters: 'f', color: '#0866ff' },
  hosts: ['www.facebook.com', 'graph.facebook.com', 'graph-video.facebook.com', 'rupload.facebook.com'],
  secrets: { query: ['appsecret_proof', 'fb_exchange_token'], fields: ['appsecret_proof'] },
  links: text =>
    findLinks(text, { hashtag: tag => `https://www.facebook.com/hashtag/${encodeURIComponent(tag)}` }),
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const app = new Hono();
  const api = new Hono();
  api.use(async (_, next) => {
    settle(state);
    await next();
  });
  addLoginDialog(app, state);
  addTokenEndpoint(api, state);
  addAccounts(api, state);
  addPosts(api, state);
  addComments(api, state);
  addPhotos(api, state);
  addVideos(api, state);
  addReels(app, api, state);
  addObjects(api, state);
  for (const each of [app, api]) {
    each.notFound(c =>
      c.json(graphErrorBody({ code: 2500, message: `Unknown path components: ${c.req.path}` }), 400),
    );
    each.onError(thrownResponse);
  }
  serveVersions(app, api, ['graph.facebook.com', 'graph-video.facebook.com']);

  return {
    app,
    tokens: (action, account) => endTokens(state, action, account),
    change: (account, change) => changeMetaAccount(state, account, change),
    reset: () => {
      resetMetaState(state);
      state.posts.clear();
      state.photos.clear();
      state.videos.clear();
      state.uploads.clear();
    },
  };
}
