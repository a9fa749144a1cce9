import type { Hono } from 'hono';
import { badParameter } from './errors.ts';
import { guarded, readJson, required, requireSameParts, type Guard, type Request } from './guard.ts';
import { refuseLive, requireLive } from './live-errors.ts';
import { settled, type Stream } from './live-state.ts';
import { member, textOf } from './metadata.ts';
import { page } from './page.ts';
import { instant, randomId, type Channel, type YoutubeState } from './state.ts';

/** `liveStreams`. */
export function addLiveStreams(app: Hono, guard: Guard, root: string): void {
  const { state } = guard;
  const path = `${root}/liveStreams`;
  app.get(
    path,
    guarded(guard, 'streams', request => list(state, request)),
  );
  app.post(
    path,
    guarded(guard, 'stream', request => insert(state, request)),
  );
  app.delete(
    path,
    guarded(guard, 'remove_stream', request => remove(state, request)),
  );
}

const RESOLUTIONS = ['240p', '360p', '480p', '720p', '1080p', '1440p', '2160p', 'variable'];
const FRAME_RATES = ['30fps', '60fps', 'variable'];

async function insert(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  requireLive(channel);
  const body = await readJson(c);
  requireSameParts(body, parts);
  const { title, description } = member(body, 'snippet');
  if (body['cdn'] === undefined) refuseLive('cdnRequired');
  const { ingestionType, resolution, frameRate } = member(body, 'cdn');
  if (title === undefined) refuseLive('titleRequired');
  if (typeof title !== 'string' || title.trim() === '' || title.length > 128) refuseLive('invalidTitle');
  if (ingestionType === undefined) refuseLive('ingestionTypeRequired');
  if (resolution === undefined) refuseLive('resolutionRequired');
  if (frameRate === undefined) refuseLive('frameRateRequired');
  if (ingestionType !== 'rtmp') refuseLive('invalidIngestionType');
  if (!RESOLUTIONS.includes(textOf(resolution))) refuseLive('invalidResolution');
  if (!FRAME_RATES.includes(textOf(frameRate))) refuseLive('invalidFrameRate');
  const now = state.host.now();
  const stream: Stream = {
    id: randomId(18),
    channel_id: channel.id,
    title,
    description: textOf(description),
    key: [1, 2, 3, 4, 5].map(() => randomId(3)).join('-'),
    resolution: textOf(resolution),
    frame_rate: textOf(frameRate),
    reusable: member(body, 'contentDetails')['isReusable'] !== false,
    status: 'ready',
    changed_at: now,
    created_at: now,
  };
  state.live.streams.set(stream.id, stream);
  return c.json(resource(state, stream, parts));
}

function list(state: YoutubeState, { c, channel, parts }: Request): Response {
  requireLive(channel);
  const ids = c.req.query('id')?.split(',');
  const isMine = c.req.query('mine') === 'true';
  if (ids && isMine) badParameter('incompatibleParameters', 'id,mine', 'Incompatible parameters');
  if (!ids && !isMine) {
    badParameter('missingRequiredParameter', 'id', 'No filter selected. Expected one of: id, mine');
  }
  const found = seen(state, channel).filter(({ id }) => ids?.includes(id) ?? true);
  const { items, more } = page(c, found);
  return c.json({
    kind: 'youtube#liveStreamListResponse',
    etag: 'etag-streams',
    ...more,
    items: items.map(stream => resource(state, stream, parts)),
  });
}

/** The streams of a channel that reads find: new ones appear late. */
function seen({ live, host }: YoutubeState, { id, switches }: Channel): Stream[] {
  return live.streams
    .values()
    .filter(each => each.channel_id === id && host.now() - each.created_at >= switches.unseen_s * 1000);
}

function remove(state: YoutubeState, { c, channel }: Request): Response {
  requireLive(channel);
  const stream = ownStream(state, channel, required(c, 'id'));
  const bound = state.live.broadcasts.values().filter(({ stream_id }) => stream_id === stream.id);
  if (bound.some(each => settled(state.live, each, state.host.now()).stage !== 'complete')) {
    refuseLive('liveStreamDeletionNotAllowed');
  }
  state.live.streams.delete(stream.id);
  return new Response(null, { status: 204 });
}

/** A stream of the channel. Ends the request for others. */
export function ownStream(state: YoutubeState, channel: Channel, id: string): Stream {
  return seen(state, channel).find(each => each.id === id) ?? refuseLive('liveStreamNotFound');
}

function resource({ live }: YoutubeState, stream: Stream, parts: readonly string[]) {
  const { id, key, status, title, description } = stream;
  const all = {
    snippet: {
      publishedAt: instant(stream.created_at),
      channelId: stream.channel_id,
      title,
      description,
      isDefaultStream: false,
    },
    cdn: {
      ingestionType: 'rtmp',
      resolution: stream.resolution,
      frameRate: stream.frame_rate,
      ingestionInfo: { streamName: key, ...addresses(live.ingest_url) },
    },
    status: { streamStatus: status, healthStatus: { status: status === 'active' ? 'good' : 'noData' } },
    contentDetails: {
      isReusable: stream.reusable,
      closedCaptionsIngestionUrl: `http://upload.youtube.com/closedcaption?cid=${id}`,
    },
  };
  const named = Object.entries(all).filter(([name]) => parts.includes(name));
  return { kind: 'youtube#liveStream', etag: `etag-${id}`, id, ...Object.fromEntries(named) };
}

/** The RTMP server behind the sandbox has no TLS. */
function addresses(url: string | null) {
  if (url !== null) return { ingestionAddress: url, backupIngestionAddress: `${url}?backup=1` };
  return {
    ingestionAddress: 'rtmp://a.rtmp.youtube.com/live2',
    backupIngestionAddress: 'rtmp://b.rtmp.youtube.com/live2?backup=1',
    rtmpsIngestionAddress: 'rtmps://a.rtmps.youtube.com/live2',
    rtmpsBackupIngestionAddress: 'rtmps://b.rtmps.youtube.com/live2?backup=1',
  };
}
