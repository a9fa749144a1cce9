import type { Broadcast } from '../model/broadcast.ts';
import type { Ingest } from '../platforms/contract/live.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { Services } from '../runtime/services.ts';
import { broadcastsTitled } from '../store/broadcasts.ts';
import { SECOND } from '../time/instant.ts';
import type { Call } from './account.ts';
import type { Held } from './lease.ts';
import { sealStreamKey } from './stream-key.ts';
import { isFinal } from './transitions.ts';

/** A request whose response was lost is no longer in flight, and the platform's lists show what it created. */
const SETTLE_MS = 30 * SECOND;
/** How far the platform's clock may be behind. */
const CLOCK_SKEW_MS = 10 * SECOND;

/** What setting up works with. */
export interface SetUp {
  services: Services;
  held: Held;
  call: Call;
}

/**
 * Creates what a broadcast needs at the platform, and continues where an earlier run died. The intent to create something is
 * stored before the request is sent, so that a lost one is looked for first. Throws PlatformError.
 */
export async function setUp(context: SetUp): Promise<void> {
  const { held, call } = context;
  const id = held.broadcast.youtube_broadcast_id ?? (await createBroadcast(context));
  const streamId = held.broadcast.youtube_stream_id ?? (await createStream(context));
  await call(calls => calls.bind(id, streamId));
}

async function createBroadcast(context: SetUp): Promise<string> {
  const { held, call, services } = context;
  const youtube_broadcast_id = (await findLostBroadcast(context)) ?? (await create());
  await held.save({ youtube_broadcast_id });
  return youtube_broadcast_id;

  async function create(): Promise<string> {
    await held.save({ intents: { ...held.broadcast.intents, broadcast: services.now() } });
    return call(calls => calls.createBroadcast(held.broadcast));
  }
}

async function createStream({ held, call, services }: SetUp): Promise<string> {
  const { id, title, intents } = held.broadcast;
  const found = intents.stream === null ? null : await call(calls => calls.findStream(id));
  if (!found) assertSettled(intents.stream, services.now());
  const stream = found ?? (await create());
  const key = await sealStreamKey(services, id, stream.stream_key);
  await held.save({ youtube_stream_id: stream.id, rtmp_url: stream.url, sealed_stream_key: key });
  return stream.id;

  async function create(): Promise<Ingest> {
    await held.save({ intents: { ...intents, stream: services.now() } });
    return call(calls => calls.createStream(title, id));
  }
}

/**
 * Returns the broadcast that a request without a response has created; null where there was no such request, or it created
 * none. Throws PlatformError `transient` while that cannot be told.
 */
export async function findLostBroadcast({ held, call, services }: SetUp): Promise<string | null> {
  const { broadcast } = held;
  const sentAt = broadcast.intents.broadcast;
  if (sentAt === null) return null;
  const others = await lookalikes(services, broadcast);
  if (others.some(each => each.youtube_broadcast_id === null && !isFinal(each.status))) throw notYet();
  const candidates = (await call(calls => calls.findBroadcasts(broadcast))).filter(
    ({ id, created_at }) =>
      (created_at ?? sentAt) >= sentAt - CLOCK_SKEW_MS &&
      others.every(each => each.youtube_broadcast_id !== id),
  );
  const [found] = candidates;
  if (!found) assertSettled(sentAt, services.now());
  return found?.id ?? null;
}

/** Other sessions whose broadcasts look the same at the platform. */
async function lookalikes({ table }: Services, broadcast: Broadcast): Promise<Broadcast[]> {
  const titled = await broadcastsTitled(table, broadcast);
  const second = (at: number) => Math.floor(at / SECOND);
  return titled.filter(
    ({ id, start_time }) => id !== broadcast.id && second(start_time) === second(broadcast.start_time),
  );
}

function assertSettled(sentAt: number | null, now: number): void {
  if (sentAt !== null && now < sentAt + SETTLE_MS) throw notYet();
}

const notYet = () =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Whether an earlier request created the broadcast is not known yet',
    retryAfterMs: SETTLE_MS,
    outcomeUnknown: true,
  });
