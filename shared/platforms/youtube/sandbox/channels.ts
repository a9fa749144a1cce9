import type { Hono } from 'hono';
import { badParameter } from './errors.ts';
import { guarded, type Guard, type Request } from './guard.ts';
import { uploadsOf, type Channel, type YoutubeState } from './state.ts';

/** `channels.list` with `mine`. */
export function addChannels(app: Hono, guard: Guard, root: string): void {
  app.get(
    `${root}/channels`,
    guarded(guard, 'channels', request => list(guard.state, request)),
  );
}

function list(state: YoutubeState, { c, channel, parts }: Request): Response {
  const filters = ['id', 'mine', 'forHandle', 'forUsername', 'managedByMe'].filter(
    name => c.req.query(name) !== undefined,
  );
  if (filters.length > 1)
    badParameter('incompatibleParameters', filters.join(','), 'Incompatible parameters');
  if (c.req.query('mine') !== 'true') {
    badParameter('missingRequiredParameter', 'mine', 'No filter selected. Expected one of: mine, id');
  }
  const page = { kind: 'youtube#channelListResponse', etag: 'etag-channels' };
  if (!channel.has_channel) {
    return c.json({ ...page, pageInfo: { totalResults: 0, resultsPerPage: 5 } });
  }
  const resource = resourceOf(state, channel);
  const shown = Object.fromEntries(
    Object.entries(resource).filter(([name]) => ['kind', 'etag', 'id', ...parts].includes(name)),
  );
  return c.json({ ...page, pageInfo: { totalResults: 1, resultsPerPage: 5 }, items: [shown] });
}

function resourceOf({ videos }: YoutubeState, { id, handle, title, switches }: Channel) {
  const picture = (size: number) => ({
    url: `https://yt3.ggpht.com/${handle}=s${size}-c-k-c0x00ffffff-no-rj`,
    width: size,
    height: size,
  });
  return {
    kind: 'youtube#channel',
    etag: `etag-${id}`,
    id,
    snippet: {
      title,
      description: '',
      customUrl: `@${handle}`,
      publishedAt: '2007-08-23T00:34:43Z',
      thumbnails: { default: picture(88), medium: picture(240), high: picture(800) },
      country: 'US',
    },
    contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsOf(id) } },
    status: {
      privacyStatus: 'public',
      isLinked: true,
      longUploadsStatus: switches.long_uploads,
      madeForKids: false,
    },
    statistics: {
      viewCount: '1',
      subscriberCount: '1',
      hiddenSubscriberCount: false,
      videoCount: String(videos.values().filter(video => video.channel_id === id).length),
    },
  };
}
