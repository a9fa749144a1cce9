import * as v from 'valibot';
import { toIso } from '../../time/instant.ts';
import type {
  BroadcastStage,
  FoundBroadcast,
  Ingest,
  LiveCalls,
  LivePlatform,
  NewBroadcast,
} from '../contract/live.ts';
import { GoogleCredentialsSchema } from '../families/google/credentials.ts';
import { partOf, send, type Caller } from './call.ts';
import {
  BroadcastSchema,
  change,
  changeCall,
  read,
  readAll,
  StreamSchema,
  StreamStatusSchema,
  type Stream,
} from './live-calls.ts';

/** Live broadcasts: one broadcast, which is a video, with one stream of its own. */
export const live: LivePlatform = {
  open: ({ credentials }, { http, now, quota }) => {
    const { access_token } = v.parse(GoogleCredentialsSchema, credentials);
    const caller: Caller = { http, token: access_token, now, quota };
    return callsOf(caller);
  },
};

const callsOf = (caller: Caller): LiveCalls => ({
  createBroadcast: broadcast => createBroadcast(caller, broadcast),
  findBroadcasts: broadcast => findBroadcasts(caller, broadcast),
  createStream: (title, marker) => createStream(caller, title, marker),
  findStream: marker => findStream(caller, marker),
  bind: (broadcastId, streamId) => bind(caller, broadcastId, streamId),
  stageOf: id => stageOf(caller, id),
  isReceiving: streamId => isReceiving(caller, streamId),
  goLive: id => transition(caller, id, 'live', ['redundantTransition']),
  complete: id => transition(caller, id, 'complete', ['redundantTransition', 'invalidTransition', NOT_FOUND]),
  deleteBroadcast: id => deleteBroadcast(caller, id),
  deleteStream: async id => {
    const call = changeCall({ what: 'Deleting the stream', path: 'liveStreams', query: { id } }, 'DELETE');
    await change(caller, call, ['liveStreamNotFound', 'liveStreamDeletionNotAllowed']);
  },
});

const NOT_FOUND = 'liveBroadcastNotFound';
const BROADCASTS = 'liveBroadcasts';
const BROADCAST_PARTS = 'id,snippet,contentDetails,status';

async function createBroadcast(caller: Caller, broadcast: NewBroadcast): Promise<string> {
  const { title, description, privacy, start_time } = broadcast;
  const json = {
    snippet: { title, description: description ?? '', scheduledStartTime: youtubeTime(start_time) },
    status: { privacyStatus: privacy, selfDeclaredMadeForKids: false },
    contentDetails: {
      // The service moves it to live. YouTube would end it for good while a worker is replaced.
      enableAutoStart: false,
      enableAutoStop: false,
      enableDvr: true,
      recordFromStart: true,
      latencyPreference: 'normal',
      // With it, a broadcast has to go through a preview first.
      monitorStream: { enableMonitorStream: false, broadcastStreamDelayMs: 0 },
    },
  };
  const named = { what: 'Creating the broadcast', path: BROADCASTS, query: { part: `id,${partOf(json)}` } };
  return (await send(caller, { ...changeCall(named), json }, BroadcastSchema)).id;
}

/** YouTube stores whole seconds. */
const youtubeTime = (epochMs: number) => toIso(wholeSeconds(epochMs));
const wholeSeconds = (epochMs: number) => Math.floor(epochMs / 1000) * 1000;

async function findBroadcasts(caller: Caller, broadcast: NewBroadcast): Promise<FoundBroadcast[]> {
  const query = { part: BROADCAST_PARTS, broadcastStatus: 'upcoming', broadcastType: 'all' };
  const all = await readAll(
    caller,
    { what: 'Looking for the broadcast', path: BROADCASTS, query },
    BroadcastSchema,
  );
  return all
    .filter(
      ({ snippet }) =>
        snippet.title === broadcast.title &&
        snippet.scheduledStartTime === wholeSeconds(broadcast.start_time),
    )
    .map(({ id, snippet }) => ({ id, created_at: snippet.publishedAt ?? null }));
}

/** Longest title of a stream; that of a broadcast is shorter. */
const MAX_STREAM_TITLE = 128;

async function createStream(caller: Caller, title: string, marker: string): Promise<Ingest> {
  const json = {
    snippet: { title: title.slice(0, MAX_STREAM_TITLE), description: marker },
    cdn: { ingestionType: 'rtmp', resolution: 'variable', frameRate: 'variable' },
    contentDetails: { isReusable: false },
  };
  const part = `id,${partOf(json)},status`;
  const named = { what: 'Creating the stream', path: 'liveStreams', query: { part } };
  return ingestOf(await send(caller, { ...changeCall(named), json }, StreamSchema));
}

async function findStream(caller: Caller, marker: string): Promise<Ingest | null> {
  const query = { part: 'id,snippet,cdn', mine: 'true' };
  const all = await readAll(
    caller,
    { what: 'Looking for the stream', path: 'liveStreams', query },
    StreamSchema,
  );
  const found = all.find(({ snippet }) => snippet.description === marker);
  return found ? ingestOf(found) : null;
}

function ingestOf({ id, cdn }: Stream): Ingest {
  const { streamName, ingestionAddress, rtmpsIngestionAddress } = cdn.ingestionInfo;
  return { id, url: rtmpsIngestionAddress ?? ingestionAddress, stream_key: streamName };
}

async function bind(caller: Caller, id: string, streamId: string): Promise<void> {
  const query = { id, streamId, part: 'id,contentDetails,status' };
  await change(caller, changeCall({ what: 'Binding the stream', path: `${BROADCASTS}/bind`, query }));
}

const STAGES: Readonly<Record<string, BroadcastStage>> = {
  created: 'created',
  ready: 'ready',
  testStarting: 'starting',
  testing: 'starting',
  liveStarting: 'starting',
  live: 'live',
  complete: 'complete',
  revoked: 'revoked',
};

async function stageOf(caller: Caller, id: string): Promise<BroadcastStage> {
  const query = { part: BROADCAST_PARTS, id };
  const [found] = await read(
    caller,
    { what: 'Reading the broadcast', path: BROADCASTS, query },
    BroadcastSchema,
  );
  return found ? (STAGES[found.status.lifeCycleStatus] ?? 'created') : 'gone';
}

async function isReceiving(caller: Caller, streamId: string): Promise<boolean> {
  const query = { part: 'id,status', id: streamId };
  const [found] = await read(
    caller,
    { what: 'Reading the stream', path: 'liveStreams', query },
    StreamStatusSchema,
  );
  return found?.status.streamStatus === 'active';
}

/** Moves a broadcast. The refusals that are expected are settled by reading its stage next. */
async function transition(
  caller: Caller,
  id: string,
  broadcastStatus: 'live' | 'complete',
  expected: readonly string[],
): Promise<void> {
  const query = { broadcastStatus, id, part: 'id,status' };
  const what = broadcastStatus === 'live' ? 'Going live' : 'Ending the broadcast';
  await change(caller, changeCall({ what, path: `${BROADCASTS}/transition`, query }), expected);
}

/** Some channels let a completed broadcast be deleted only after its video. */
async function deleteBroadcast(caller: Caller, id: string): Promise<void> {
  const what = 'Deleting the broadcast';
  const remove = (path: string) => changeCall({ what, path, query: { id } }, 'DELETE');
  const notAllowed = 'liveBroadcastDeletionNotAllowed';
  const refusal = await change(caller, remove(BROADCASTS), [NOT_FOUND, notAllowed]);
  if (refusal !== notAllowed) return;
  await change(caller, remove('videos'), ['videoNotFound']);
  await change(caller, remove(BROADCASTS), [NOT_FOUND]);
}
