import type { LambdaClient } from '@aws-sdk/client-lambda';
import { CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { routes } from '../../functions/broadcasts/routes.ts';
import { ENV } from '../../shared/aws/env.ts';
import { seal } from '../../shared/aws/key-ring.ts';
import { livePlatform } from '../../shared/broadcasts/account.ts';
import { handleBroadcastMessage } from '../../shared/broadcasts/control.ts';
import { BroadcastMessageSchema, type BroadcastMessage } from '../../shared/broadcasts/messages.ts';
import type { WorkerTasks } from '../../shared/broadcasts/tasks.ts';
import { EventMessageSchema } from '../../shared/events/messages.ts';
import type { Broadcast } from '../../shared/model/broadcast.ts';
import type { ServiceEvent } from '../../shared/model/event.ts';
import { newId } from '../../shared/model/id.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { LiveCalls, LivePlatform } from '../../shared/platforms/contract/live.ts';
import { sandbox } from '../../shared/platforms/youtube/sandbox/server.ts';
import { APP } from '../../shared/platforms/youtube/sandbox/state.ts';
import { broadcastOfKey, getBroadcast } from '../../shared/store/broadcasts.ts';
import { putConnection } from '../../shared/store/connections.ts';
import { createPlaylist } from '../../shared/store/playlists.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import { postponeWake } from '../../shared/store/wake.ts';
import { DAY, MINUTE, SECOND } from '../../shared/time/instant.ts';
import { crashingServices, Killed, type Crash } from './crashing-services.ts';
import { fakeWorkers } from './fake-workers.ts';
import { startSandboxHost } from './sandbox-host.ts';
import { servedApi } from './served-api.ts';
import { connect as connectChannel } from './youtube.ts';
import { dueKeys } from './due-items.ts';

const QUEUE = 'broadcasts';
const START = Date.UTC(2026, 10, 2, 10);
/** Six times the controller's timeout, as in the stack. */
const VISIBILITY_MS = 360 * SECOND;
/** Workers report every 15 seconds; this is enough, and faster. */
const HEARTBEAT_MS = 30 * SECOND;

const CreatedSchema = v.object({ session_id: v.string(), broadcast_id: v.string() });
const ListedSchema = v.object({
  broadcasts: v.array(v.object({ title: v.string(), stream_key: v.nullable(v.string()) })),
});

/**
 * The API of live broadcasts, its controller and the sandbox's YouTube on one clock, with a real table, queues in memory and
 * workers that only report and tell the ingest that they send.
 */
export async function broadcastWorld() {
  const host = await startSandboxHost(sandbox, { now: START });
  const before = { ...process.env };
  process.env['SANDBOX_URL'] = host.url;
  process.env['ALLOW_LOOPBACK'] = '1';
  const queue: { message: BroadcastMessage; at: number }[] = [];
  const events: ServiceEvent[] = [];
  const settings: Record<string, string> = {
    [ENV.broadcastQueueUrl]: QUEUE,
    [ENV.liveEnabled]: 'true',
    [ENV.scheduleRoleArn]: 'arn:aws:iam::1:role/r',
  };
  const faults = { sqs: false };

  function deliver(url: string, body: string, at: number): void {
    const json: unknown = JSON.parse(body);
    if (url === QUEUE) return void queue.push({ message: v.parse(BroadcastMessageSchema, json), at });
    const message = v.parse(EventMessageSchema, json);
    if (message.kind === 'events') events.push(...message.events);
  }
  const sqs = {
    send: ({ input }: SendMessageCommand) => {
      if (faults.sqs) return Promise.reject(new Error('SQS is unavailable'));
      deliver(input.QueueUrl ?? '', input.MessageBody ?? '', host.now() + (input.DelaySeconds ?? 0) * SECOND);
      return Promise.resolve({});
    },
  };
  const scheduler = {
    send: ({ input }: CreateScheduleCommand) => {
      const { QueueUrl = '', MessageBody = '' } = JSON.parse(input.Target?.Input ?? '') as {
        QueueUrl?: string;
        MessageBody?: string;
      };
      deliver(QueueUrl, MessageBody, Date.parse(`${input.ScheduleExpression?.slice(3, -1) ?? ''}Z`));
      return Promise.resolve({});
    },
  };
  const api = await servedApi(routes, {
    plan: 'enterprise',
    services: {
      sqs: sqs as unknown as SQSClient,
      scheduler: scheduler as unknown as SchedulerClient,
      ssm: {
        send: () => Promise.resolve({ Parameter: { Value: JSON.stringify(APP) } }),
      } as unknown as SSMClient,
      lambda: { send: () => Promise.resolve({ State: 'Enabled' }) } as unknown as LambdaClient,
      setting: name => settings[name] ?? name,
      now: host.now,
    },
  });
  const { services, workspace } = api;
  const workers = fakeWorkers(services, host.platform.ingest!);

  async function addProfile(name: string): Promise<Profile> {
    const profile: Profile = {
      id: newId(host.now()),
      workspace_id: workspace.workspace_id,
      profile_name: name,
      username: name.toLowerCase(),
      created_by: null,
      created_at: host.now(),
    };
    await createProfile(services.table, profile);
    return profile;
  }

  async function addAccount({ id: profile_id, workspace_id }: Profile): Promise<Connection> {
    const grant = await connectChannel(host);
    const id = newId(host.now());
    const connection: Connection = {
      id,
      workspace_id,
      profile_id,
      platform: 'youtube',
      way: 'oauth',
      ...grant.account,
      scopes: [...grant.scopes],
      attributes: {},
      facts_at: host.now(),
      sealed: seal(await services.keyRing(), id, JSON.stringify(grant.credentials)),
      revision: 1,
      renew_at: grant.renew_at,
      token_expires_at: grant.expires_at,
      needs_reconnect: false,
      needs_target: false,
      renewal_lease_until: null,
      connected_at: host.now(),
    };
    await putConnection(services.table, connection);
    return connection;
  }

  async function addPlaylist({ id: profile_id, workspace_id }: Profile, items = 2): Promise<string> {
    const id = newId(host.now());
    await createPlaylist(services.table, {
      id,
      workspace_id,
      profile_id,
      name: 'Loop',
      loop_enabled: true,
      items: Array.from({ length: items }, () => ({ id: newId(), media_asset_id: newId() })),
      revision: 1,
      created_at: host.now(),
    });
    return id;
  }

  /** External calls of all controllers, and which of them kills its process. */
  const calls = { total: 0, crash: null as number | null };

  /** Handles a message in a process of its own. The message of a killed one returns to the queue. */
  async function handle(message: BroadcastMessage): Promise<void> {
    const at = calls.crash === null ? 0 : calls.crash - calls.total;
    const crash: Crash | null = at > 0 ? { at, when: 'after' } : null;
    const process = crashingServices(services, crash);
    const { external } = process;
    try {
      await handleBroadcastMessage(
        {
          services: process.services,
          tasks: wrapped(workers.tasks, external),
          live: wrappedLive(await livePlatform(), external),
        },
        message,
      );
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    } finally {
      calls.total += process.calls();
    }
    if (crash && process.calls() >= crash.at) queue.push({ message, at: host.now() + VISIBILITY_MS });
  }

  /** Sends the messages of overdue broadcasts, as the sweeper does. */
  async function sweep(): Promise<void> {
    for (const key of await dueKeys(services.table, host.now())) {
      const ref = broadcastOfKey(key);
      if (!ref) continue;
      await postponeWake(services.table, key, host.now() + 5 * MINUTE);
      queue.push({ message: { workspace_id: ref.workspace_id, broadcast_id: ref.id }, at: host.now() });
    }
  }

  let sweptAt = START;

  /** Moves the clock to the next message or heartbeat, and handles what is due. */
  async function tick(): Promise<void> {
    const idleMs = workers.running().length > 0 ? HEARTBEAT_MS : MINUTE;
    const next = Math.min(host.now() + idleMs, ...queue.map(({ at }) => at));
    host.advance(Math.max(0, next - host.now()));
    await workers.tick();
    if (host.now() - sweptAt >= MINUTE) {
      sweptAt = host.now();
      await sweep();
    }
    for (;;) {
      const index = queue.findIndex(({ at }) => at <= host.now());
      const [due] = index < 0 ? [] : queue.splice(index, 1);
      if (!due) return;
      await handle(due.message);
    }
  }

  const read = (id: string): Promise<Broadcast | null> =>
    getBroadcast(services.table, { workspace_id: workspace.workspace_id, id });

  /** Runs until a broadcast is as wanted; null stands for a deleted one. */
  async function until(
    id: string,
    isWanted: (broadcast: Broadcast | null) => boolean,
  ): Promise<Broadcast | null> {
    for (let count = 0; count < 2000; count += 1) {
      const broadcast = await read(id);
      if (isWanted(broadcast)) return broadcast;
      await tick();
    }
    throw new Error(`The broadcast stays as it is: ${JSON.stringify(await read(id))}`);
  }

  const PATH = '/integrations/youtube/broadcasts';

  /** Creates a broadcast. Throws unless that succeeds. */
  async function create(body: object): Promise<{ id: string; youtubeId: string }> {
    const answer = await api.call('POST', PATH, body);
    const { session_id, broadcast_id } = v.parse(CreatedSchema, answer.body);
    return { id: session_id, youtubeId: broadcast_id };
  }

  /** Returns the broadcasts of a profile, as the API lists them. */
  async function list(profileId: string): Promise<v.InferOutput<typeof ListedSchema>['broadcasts']> {
    const answer = await api.call('GET', `${PATH}?limit=100&profile_id=${profileId}`);
    return v.parse(ListedSchema, answer.body).broadcasts;
  }

  const profile = await addProfile('Acme');
  return {
    ...api,
    create,
    list,
    stop: (id: string, body: object = {}) => api.call('POST', `${PATH}/${id}/stop`, body),
    host,
    profile,
    account: await addAccount(profile),
    playlist: await addPlaylist(profile),
    addProfile,
    addAccount,
    addPlaylist,
    workers,
    queue,
    events,
    settings,
    faults,
    calls,
    read,
    tick,
    until,
    untilStatus: (id: string, status: Broadcast['status']) => until(id, found => found?.status === status),
    untilSettled: (id: string) => until(id, found => found === null || found.next_at === null),
    /** Moves the clock to the next day, when the quota is full again. */
    nextDay: () => host.advance(DAY),
    /** Runs for a while. */
    run: async (ms: number) => {
      const end = host.now() + ms;
      while (host.now() < end) await tick();
    },
    change: (switches: Record<string, string | number | boolean>) => host.platform.change?.('demo', switches),
    /** What YouTube shows of the channel. */
    shown: () => host.posts().map(({ title, fields }) => ({ title, stage: fields['life_cycle_status'] })),
    close: async () => {
      for (const name of ['SANDBOX_URL', 'ALLOW_LOOPBACK']) {
        if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = before[name];
      }
      await api.close();
      await host.close();
    },
  };
}

export type BroadcastWorld = Awaited<ReturnType<typeof broadcastWorld>>;

type External = <T>(call: () => Promise<T> | T) => Promise<T>;

/** Returns an object whose functions count as external calls. */
function wrapped<T extends WorkerTasks | LiveCalls>(calls: T, external: External): T {
  const entries = Object.entries(calls) as [string, (...args: unknown[]) => Promise<unknown>][];
  const counted = entries.map(([name, call]) => [
    name,
    (...args: unknown[]) => external(() => call(...args)),
  ]);
  return Object.fromEntries(counted) as T;
}

const wrappedLive = (live: LivePlatform, external: External): LivePlatform => ({
  open: (account, context) => wrapped(live.open(account, context), external),
});
