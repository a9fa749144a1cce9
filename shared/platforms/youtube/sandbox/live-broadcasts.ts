import type { Hono } from 'hono';
import { badParameter } from './errors.ts';
import { guarded, readJson, required, requireSameParts, type Guard, type Request } from './guard.ts';
import { refuseLive, requireLive } from './live-errors.ts';
import { moveTo, settled, startMoving, type Broadcast } from './live-state.ts';
import { ownStream } from './live-streams.ts';
import { member, textOf } from './metadata.ts';
import { page } from './page.ts';
import { instant, randomId, type Channel, type YoutubeState } from './state.ts';

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

const MAX_AHEAD_MS = 366 * 86_400_000;
const MARKUP = /[<>]/;

function readBroadcast(
  body: Record<string, unknown>,
  { switches }: Channel,
  now: number,
): Omit<Broadcast, 'id' | 'channel_id'> {
  const { title, description = '', scheduledStartTime } = member(body, 'snippet');
  const { privacyStatus } = member(body, 'status');
  const details = member(body, 'contentDetails');
  if (title === undefined) refuseLive('titleRequired');
  if (typeof title !== 'string' || title.trim() === '' || title.length > 100 || MARKUP.test(title)) {
    return refuseLive('invalidTitle');
  }
  if (typeof description !== 'string' || Buffer.byteLength(description) > 5000 || MARKUP.test(description)) {
    return refuseLive('invalidDescription');
  }
  if (scheduledStartTime === undefined) refuseLive('scheduledStartTimeRequired');
  const scheduled_start = Date.parse(textOf(scheduledStartTime));
  if (!(scheduled_start > now && scheduled_start < now + MAX_AHEAD_MS)) {
    refuseLive('invalidScheduledStartTime');
  }
  if (privacyStatus === undefined) refuseLive('privacyStatusRequired');
  const privacy = textOf(privacyStatus);
  if (!['public', 'unlisted', 'private'].includes(privacy)) refuseLive('invalidPrivacyStatus');
  const auto_start = details['enableAutoStart'] === true;
  if (auto_start && !switches.live_auto_start) refuseLive('invalidAutoStart');
  return {
    title,
    description,
    privacy,
    scheduled_start: Math.floor(scheduled_start / 1000) * 1000,
    auto_start,
    auto_stop: details['enableAutoStop'] === true,
    monitor: member(details, 'monitorStream')['enableMonitorStream'] !== false,
    stage: 'created',
    next: null,
    stream_id: null,
    video_deleted: false,
    created_at: now,
    started_at: null,
    ended_at: null,
  };
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

/** The broadcasts of a channel that reads find: new ones appear late. */
function seen(state: YoutubeState, { id, switches }: Channel): Broadcast[] {
  const now = state.host.now();
  return state.live.broadcasts
    .values()
    .filter(each => each.channel_id === id && now - each.created_at >= switches.unseen_s * 1000)
    .map(each => {
      const current = settled(state.live, each, now);
      if (current.stage !== each.stage) store(state, current);
      return current;
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

/** Returns a broadcast after the start of a transition. Ends the request for one that is not allowed. */
function transitioned(
  state: YoutubeState,
  { switches }: Channel,
  broadcast: Broadcast,
  to: string,
): Broadcast {
  const now = state.host.now();
  const { stage, monitor, stream_id } = broadcast;
  if (stage === to || broadcast.next?.stage === to) refuseLive('redundantTransition');
  if (to === 'complete') {
    if (stage !== 'live' && stage !== 'testing') refuseLive('invalidTransition');
    return moveTo(broadcast, 'complete', now);
  }
  if (to !== 'live' && to !== 'testing') {
    return badParameter('invalidParameter', 'broadcastStatus', 'Invalid value for broadcastStatus');
  }
  const from = to === 'live' && monitor ? 'testing' : 'ready';
  if (stage !== from || (to === 'testing' && !monitor)) refuseLive('invalidTransition');
  const stream = stream_id === null ? undefined : state.live.streams.get(stream_id);
  if (stream?.status !== 'active') refuseLive('errorStreamInactive');
  return startMoving(broadcast, to, now + switches.live_transition_s * 1000);
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

/** Deletes the recording of a completed broadcast. Returns false if no broadcast has this id. */
export function removeRecording(state: YoutubeState, channel: Channel, id: string): boolean {
  const broadcast = state.live.broadcasts.get(id);
  if (broadcast?.channel_id !== channel.id) return false;
  if (settled(state.live, broadcast, state.host.now()).stage !== 'complete') {
    refuseLive('liveBroadcastDeletionNotAllowed');
  }
  store(state, { ...broadcast, video_deleted: true });
  return true;
}

/** A broadcast of the channel as it is now. Ends the request for others. */
function ownBroadcast(state: YoutubeState, channel: Channel, id: string): Broadcast {
  const found = seen(state, channel).find(each => each.id === id);
  return found ?? refuseLive('liveBroadcastNotFound');
}

/** Stores a broadcast and shows it on the sandbox's page. */
export function store(state: YoutubeState, broadcast: Broadcast): void {
  const { id, channel_id, title, description, stage, stream_id } = broadcast;
  const hasBegun = stage !== 'created' && stage !== 'ready';
  state.live.broadcasts.set(id, broadcast);
  state.host.unpublish('youtube', id);
  state.host.publish({
    platform: 'youtube',
    account: state.channels.get(channel_id)?.handle ?? channel_id,
    platform_post_id: id,
    platform_post_url: `https://www.youtube.com/watch?v=${id}`,
    kind: 'broadcast',
    text: description,
    title,
    media: hasBegun ? [{ url: `${state.host.url}/_recordings/youtube/${id}`, type: 'video/mp4' }] : [],
    comments: [],
    fields: {
      life_cycle_status: stage,
      stream_id,
      privacy: broadcast.privacy,
      scheduled_start_time: instant(broadcast.scheduled_start),
    },
    published_at: instant(broadcast.created_at),
  });
}

const RECORDING: Readonly<Record<string, string>> = { live: 'recording', complete: 'recorded' };

function resource(broadcast: Broadcast, parts: readonly string[]) {
  const { id, title, description, stage, privacy, stream_id, started_at, ended_at } = broadcast;
  const all = {
    snippet: {
      publishedAt: instant(broadcast.created_at),
      channelId: broadcast.channel_id,
      title,
      description,
      scheduledStartTime: instant(broadcast.scheduled_start),
      ...(started_at === null ? {} : { actualStartTime: instant(started_at) }),
      ...(ended_at === null ? {} : { actualEndTime: instant(ended_at) }),
      isDefaultBroadcast: false,
      liveChatId: `chat-${id}`,
    },
    status: {
      lifeCycleStatus: stage,
      privacyStatus: privacy,
      recordingStatus: RECORDING[stage] ?? 'notRecording',
      madeForKids: false,
      selfDeclaredMadeForKids: false,
    },
    contentDetails: {
      ...(stream_id === null ? {} : { boundStreamId: stream_id }),
      monitorStream: { enableMonitorStream: broadcast.monitor, broadcastStreamDelayMs: 0 },
      enableAutoStart: broadcast.auto_start,
      enableAutoStop: broadcast.auto_stop,
      latencyPreference: 'normal',
    },
  };
  const named = Object.entries(all).filter(([name]) => parts.includes(name));
  return { kind: 'youtube#liveBroadcast', etag: `etag-${id}`, id, ...Object.fromEntries(named) };
}
