import { Hono } from 'hono';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { addMedia } from './media.ts';
import { addOAuth } from './oauth.ts';
import { addPosts } from './posts.ts';
import * as v from 'valibot';
import { APP, findAccount, openState, seedAccounts } from './state.ts';

/** X: OAuth 2.0 with rotating refresh tokens, chunked media upload, posts, timelines and rate limits. */
export const sandbox: SandboxDefinition = {
  platform: 'x',
  badge: { name: 'X', letters: 'X', color: '#16191d', darkColor: '#49515c' },
  hosts: ['api.x.com', 'x.com'],
  links: text =>
    findLinks(text, {
      hashtag: tag => `https://x.com/hashtag/${encodeURIComponent(tag)}`,
      screenName: name => `https://x.com/${name}`,
      cashtag: tag => `https://x.com/search?q=${encodeURIComponent(`$${tag}`)}`,
    }),
  demo: { app: APP },
  start,
};

const ChangeSchema = v.strictObject({
  premium: v.exactOptional(v.boolean()),
  suspended: v.exactOptional(v.boolean()),
  timeline_delay_ms: v.exactOptional(v.number()),
});

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const app = new Hono();
  addOAuth(app, state);
  addMedia(app, state);
  addPosts(app, state);
  app.notFound(c =>
    c.json({ title: 'Not Found', type: 'about:blank', status: 404, detail: 'Not Found' }, 404),
  );
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
      state.posts.clear();
      state.media.clear();
      state.windows.clear();
      state.codes.clear();
    },
  };
}
