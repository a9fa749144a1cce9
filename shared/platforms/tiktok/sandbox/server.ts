import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';
import { thrownResponse } from '../../kit/sandbox/thrown-response.ts';
import { addCreator } from './creator.ts';
import { addConsent, addOAuth, CONSENT_HOST } from './oauth.ts';
import { addPhotoInit } from './photo-init.ts';
import { SettingsSchema } from './settings.ts';
import { AccountSchema, APP, findAccount, openState, seed, settingsOf } from './state.ts';
import { addStatus } from './status.ts';
import { addUpload, UPLOAD_HOST } from './upload.ts';
import { addVideoInit } from './video-init.ts';
import { addVideos } from './videos.ts';

const API_HOST = 'open.tiktokapis.com';

/** Content Posting API v2: rotating tokens, creator info, videos in chunks, photos by URL, drafts, status and metrics. */
export const sandbox: SandboxDefinition = {
  platform: 'tiktok',
  badge: { name: 'TikTok', letters: 'TT', color: '#161823', darkColor: '#e0123c' },
  hosts: [API_HOST, CONSENT_HOST, UPLOAD_HOST],
  secrets: { query: ['upload_token', 'code_challenge'], fields: ['upload_url', 'code_verifier'] },
  links: text =>
    findLinks(text, {
      hashtag: tag => `https://www.tiktok.com/tag/${encodeURIComponent(tag)}`,
      screenName: name => `https://www.tiktok.com/@${name}`,
    }),
  demo: { app: APP },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const api = new Hono();
  addOAuth(api, state);
  addCreator(api, state);
  addVideoInit(api, state);
  addPhotoInit(api, state);
  addStatus(api, state);
  addVideos(api, state);

  const app = new Hono();
  addConsent(app, state);
  addUpload(app, state);
  app.route(`/${API_HOST}`, api);
  app.notFound(c =>
    c.json({ error: { code: 'unsupported_path', message: 'Unsupported path.', log_id: '' } }, 404),
  );
  app.onError(thrownResponse);

  return {
    app,
    tokens: (action, account) => {
      endTokens(state, action, account === null ? null : findAccount(state, account)?.id);
    },
    change: (name, change) => {
      if (name === 'app') {
        const settings = { ...settingsOf(state), ...change };
        state.settings.set('app', v.parse(v.strictObject(SettingsSchema.entries), settings));
        return true;
      }
      const account = findAccount(state, name);
      if (!account) return false;
      const changed = { ...account, ...change, id: account.id };
      state.accounts.set(account.id, v.parse(v.strictObject(AccountSchema.entries), changed));
      return true;
    },
    reset: () => {
      seed(state);
      state.processes.clear();
      for (const each of [state.codes, state.uploads, state.calls]) each.clear();
    },
  };
}
