import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { SandboxFactory } from '../../contract/sandbox.ts';
import { addMedia } from './media.ts';
import { addOAuth } from './oauth.ts';
import { addPosts } from './posts.ts';
import { APP, newState, type Grant } from './state.ts';

/** X as a client meets it: OAuth 2.0 with rotating refresh tokens, chunked media, posts, timelines, limits. */
export const sandbox: SandboxFactory = host => {
  const state = newState(host);
  const app = new Hono();
  addOAuth(app, state);
  addMedia(app, state);
  addPosts(app, state);
  app.notFound(c =>
    c.json({ title: 'Not Found', type: 'about:blank', status: 404, detail: 'Not Found' }, 404),
  );
  app.onError(error => {
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  });

  return {
    platform: 'x',
    app,
    demo: { app: APP },
    tokens: (action, account) => {
      const drop = (tokens: Map<string, Grant>) => {
        for (const [token, { account: owner }] of tokens) {
          if (account === null || account === owner.id || account === owner.username) tokens.delete(token);
        }
      };
      if (action !== 'revoke_refresh') drop(state.access);
      if (action !== 'expire') drop(state.refresh);
    },
    reset: () => {
      state.posts.length = 0;
      state.media.clear();
      state.windows.clear();
      state.codes.clear();
    },
  };
};
