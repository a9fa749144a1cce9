import { Hono } from 'hono';
import * as v from 'valibot';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { addGoogleOAuth } from '../../families/google/sandbox/oauth.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';
import { addAnalytics } from './analytics.ts';
import { addChannels } from './channels.ts';
import { addExtras } from './extras.ts';
import { notFound, respond } from './guard.ts';
import { addLiveBroadcasts } from './live-broadcasts.ts';
import { ingestOf } from './live-ingest.ts';
import { addLiveStreams } from './live-streams.ts';
import { addLookups } from './lookups.ts';
import { SCOPES } from './operations.ts';
import { addPlaylists } from './playlists.ts';
import { addUploads } from './resumable.ts';
import { APP, CHANNELS, findChannel, openState, seed, SwitchesSchema } from './state.ts';
import { addVideos } from './videos.ts';

/** YouTube: Google's OAuth 2.0, the Data API v3 with resumable uploads and quotas, and Analytics reports. */
export const sandbox: SandboxDefinition = {
  platform: 'youtube',
  badge: { name: 'YouTube', letters: 'YT', color: '#c4302b' },
  hosts: [
    'www.googleapis.com',
    'youtube.googleapis.com',
    'youtubeanalytics.googleapis.com',
    'accounts.google.com',
    'oauth2.googleapis.com',
  ],
  // The address of an upload session is a capability, and so is the name of a stream.
  secrets: { query: ['upload_id'], headers: ['location'], fields: ['streamName'] },
  links: text =>
    findLinks(text, { hashtag: tag => `https://www.youtube.com/hashtag/${encodeURIComponent(tag)}` }),
  demo: { app: APP },
  start,
};

/** Both hosts answer the Data API. */
const ROOTS = ['/www.googleapis.com', '/youtube.googleapis.com'];

function start(host: SandboxHost): SandboxPlatform {
  const state = openState(host);
  const app = new Hono();
  const tokens = addGoogleOAuth(app, {
    host,
    client: APP,
    scopes: SCOPES,
    findAccount: name => {
      const channel = findChannel(state, name ?? CHANNELS[0]!.id);
      return channel ? { id: channel.id, name: channel.title } : null;
    },
    isTesting: id => findChannel(state, id)?.switches.testing === true,
  });
  const guard = { state, tokens };
  for (const root of ROOTS) {
    addChannels(app, guard, `${root}/youtube/v3`);
    addVideos(app, guard, `${root}/youtube/v3`);
    addPlaylists(app, guard, `${root}/youtube/v3`);
    addUploads(app, guard, root);
    addExtras(app, guard, root);
    addLookups(app, guard, `${root}/youtube/v3`);
    addLiveBroadcasts(app, guard, `${root}/youtube/v3`);
    addLiveStreams(app, guard, `${root}/youtube/v3`);
  }
  addAnalytics(app, guard);
  app.notFound(c => respond(c, notFound));

  return {
    app,
    tokens: (action, account) => {
      const owner = account === null ? null : (findChannel(state, account)?.id ?? account);
      endTokens(tokens, action, owner);
    },
    change: (name, change) => {
      const channel = findChannel(state, name);
      if (!channel) return false;
      const switches = v.parse(v.strictObject(SwitchesSchema.entries), { ...channel.switches, ...change });
      state.channels.set(channel.id, { ...channel, switches });
      return true;
    },
    ingest: ingestOf(state),
    reset: () => {
      seed(state);
      for (const { id } of [...state.videos.values(), ...state.live.broadcasts.values()]) {
        host.unpublish('youtube', id);
      }
      for (const each of [state.live.broadcasts, state.live.streams]) each.clear();
      for (const each of [state.videos, state.captions, state.items, state.comments]) each.clear();
      state.sessions.clear();
      state.units.clear();
      tokens.codes.clear();
    },
  };
}
