import type { Hono } from 'hono';
import { badParameter } from './errors.ts';
import { guarded, readJson, required, requireSameParts, type Guard, type Request } from './guard.ts';
import { readBroadcast } from './live-broadcast-input.ts';
import { resource } from './live-broadcast-resource.ts';
import { ownBroadcast, seen, store } from './live-broadcast-store.ts';
import { refuseLive, requireLive } from './live-errors.ts';
import type { Broadcast } from './live-state.ts';
import { ownStream } from './live-streams.ts';
import { transitioned } from './live-transition.ts';
import { page } from './page.ts';
import { randomId, type YoutubeState } from './state.ts';

/** `liveBroadcasts`. */
export function addLiveBroadcasts(app: Hono, guard: Guard, root: string): void {
  const { state } = guard;
  const path = `${root}/liveBroadcasts`;
  app.get(
    path,
    guarded(guard, 'broadcasts', request => list(state, request)),
  );
  app.post(
    path,
    guarded(guard, 'broadcast', request => insert(state, request)),
  );
  app.post(
    `${path}/bind`,
    guarded(guard, 'bind', request => bind(state, request)),
  );
  app.post(
    `${path}/transition`,
    guarded(guard, 'transition', request => transition(state, request)),
  );
  app.delete(
    path,
    guarded(guard, 'remove_broadcast', request => remove(state, request)),
  );
}

async function insert(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  requireLive(channel);
  const body = await readJson(c);
  requireSameParts(body, parts);
  if (channel.switches.live_throttled) refuseLive('userRequestsExceedRateLimit');
  const now = state.host.now();
  const broadcast = { ...readBroadcast(body, channel, now), id: randomId(8), channel_id: channel.id };
  store(state, broadcast);
  return c.json(resource(broadcast, parts));
}

/** Stages by the filter `broadcastStatus`. */
const FILTERS: Readonly<Record<string, readonly Broadcast['stage'][]>> = {
  all: ['created', 'ready', 'testStarting', 'testing', 'liveStarting', 'live', 'complete'],
  upcoming: ['created', 'ready'],
  active: ['testStarting', 'testing', 'liveStarting', 'live'],
  completed: ['complete'],
};

function list(state: YoutubeState, { c, channel, parts }: Request): Response {
  requireLive(channel);
  const given = ['id', 'mine', 'broadcastStatus'].filter(name => c.req.query(name) !== undefined);
  if (given.length > 1) badParameter('incompatibleParameters', given.join(','), 'Incompatible parameters');
  if (given.length === 0) {
    badParameter(
      'missingRequiredParameter',
      'id',
      'No filter selected. Expected one of: id, mine, broadcastStatus',
    );
  }
  const stages = FILTERS[c.req.query('broadcastStatus') ?? 'all'];
  if (!stages) badParameter('invalidParameter', 'broadcastStatus', 'Invalid value for broadcastStatus');
  const ids = c.req.query('id')?.split(',');
  const found = seen(state, channel).filter(
    ({ id, stage }) => (ids?.includes(id) ?? true) && (stages?.includes(stage) ?? true),
  );
  const { items, more } = page(c, found);
  return c.json({
    kind: 'youtube#liveBroadcastListResponse',
    etag: 'etag-broadcasts',
    ...more,
    items: items.map(broadcast => resource(broadcast, parts)),
  });
}

async function bind(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  requireLive(channel);
  const broadcast = ownBroadcast(state, channel, required(c, 'id'));
  const streamId = c.req.query('streamId');
  if (broadcast.stage !== 'created' && broadcast.stage !== 'ready') {
    refuseLive('liveBroadcastBindingNotAllowed');
  }
  const stream = streamId === undefined ? null : ownStream(state, channel, streamId);
  const others = state.live.broadcasts.values().filter(({ id }) => id !== broadcast.id);
  if (stream && !stream.reusable && others.some(({ stream_id }) => stream_id === stream.id)) {
    refuseLive('liveBroadcastBindingNotAllowed');
  }
  const bound: Broadcast = {
    ...broadcast,
    stream_id: stream?.id ?? null,
    stage: stream ? 'ready' : 'created',
  };
  store(state, bound);
  return Promise.resolve(c.json(resource(bound, parts)));
}

function transition(state: YoutubeState, { c, channel, parts }: Request): Response {
  requireLive(channel);
  const to = required(c, 'broadcastStatus');
  const moved = transitioned(state, channel, ownBroadcast(state, channel, required(c, 'id')), to);
  store(state, moved);
  return c.json(resource(moved, parts));
}

function remove(state: YoutubeState, { c, channel }: Request): Response {
  requireLive(channel);
  const broadcast = ownBroadcast(state, channel, required(c, 'id'));
  const { stage, video_deleted } = broadcast;
  const isOver = stage === 'complete';
  const isFree = channel.switches.live_delete_completed === 'allowed' || video_deleted;
  if (!(stage === 'created' || stage === 'ready' || (isOver && isFree))) {
    refuseLive('liveBroadcastDeletionNotAllowed');
  }
  state.live.broadcasts.delete(broadcast.id);
  state.host.unpublish('youtube', broadcast.id);
  return new Response(null, { status: 204 });
}
