import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { newKeyRing, seal } from '../../shared/aws/key-ring.ts';
import { handleDeadLetter } from '../../shared/delivery/dead-letters.ts';
import { deliver } from '../../shared/delivery/deliver.ts';
import { dispatch, schedulePost } from '../../shared/delivery/dispatch.ts';
import { DispatchMessageSchema, PublishMessageSchema } from '../../shared/delivery/messages.ts';
import { firstSweepAt } from '../../shared/delivery/sweep.ts';
import { newId } from '../../shared/model/id.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { destinationsOf, type Post } from '../../shared/model/post.ts';
import type { Connection } from '../../shared/model/profile.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { deleteCapReservation, listCapReservations } from '../../shared/store/cap-reservations.ts';
import { getConnection, putConnection } from '../../shared/store/connections.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import { createPost, getPost } from '../../shared/store/posts.ts';
import { createWebhook, deleteWebhook } from '../../shared/store/webhooks.ts';
import { testCredentials } from './connectors.ts';
import { crashingServices, Killed, type Crash, type Pause } from './crashing-services.ts';
import { fakePublisher, newFakePlatform } from './fake-platform.ts';
import { fakeQueues } from './queue-messages.ts';
import { DAY } from '../../shared/time/instant.ts';
import { createTestTable } from './table.ts';
import { webhookWith } from './webhook.ts';

const WORKSPACE = 'w1';
const PROFILE = 'p1';
export const connectionId = (platform: PlatformId) => `c-${platform}`;
/** Six times the publishers' timeout, as in the stack. */
const VISIBILITY_MS = 360_000;
const MAX_RECEIVES = 5;
const REMAINING_MS = 200_000;

interface CreatedSchedule {
  Name: string;
  ScheduleExpression: string;
  Target: { Input: string };
}

export interface QueuedMessage {
  queue: string;
  body: string;
  /** Tenant of the fair queue. */
  group?: string;
  /** When it can be received. Epoch milliseconds. */
  at: number;
  receives: number;
}

/**
 * Delivery with a real table, and with queues, a scheduler and a platform in memory. The test sets the clock, and any
 * external call of a process can be its last. A webhook listens to all events.
 */
export async function deliveryWorld() {
  const table = await createTestTable();
  await createWebhook(table, LISTENER);
  const ring = newKeyRing();
  const clock = { now: Date.UTC(2026, 11, 1, 10) };
  const queue: QueuedMessage[] = [];
  /** Events of destinations, and of posts. */
  const events: { event: string; id: string; data: { platform: string } }[] = [];
  const completed: typeof events = [];
  const schedules: CreatedSchedule[] = [];
  const platform = newFakePlatform();
  /** Number of publish messages sent. */
  const sent = { publish: 0 };
  /** What is left of each invocation. */
  const invocation = { remainingMs: REMAINING_MS };
  /** External calls of all processes, and which of them kills its process. */
  const calls = { total: 0, crash: null as Crash | null };

  function send({ input }: SendMessageCommand) {
    const { QueueUrl = '', MessageBody = '', DelaySeconds = 0, MessageGroupId = '' } = input;
    if (QueueUrl === 'events') {
      const message = JSON.parse(MessageBody) as { events: typeof events };
      for (const event of message.events) {
        (event.event === 'post.completed' ? completed : events).push(event);
      }
    } else {
      if (QueueUrl === 'publish') sent.publish += 1;
      const at = clock.now + DelaySeconds * 1000;
      queue.push({ queue: QueueUrl, body: MessageBody, at, receives: 0, group: MessageGroupId });
    }
    return Promise.resolve({});
  }

  function createSchedule(schedule: CreatedSchedule) {
    if (!platform.scheduler) return Promise.reject(new Error('Schedules are refused'));
    schedules.push(schedule);
    return Promise.resolve({});
  }

  const services: Services = {
    table,
    bucket: { publicUrl: 'https://media.example.com' } as Bucket,
    sqs: { send } as unknown as SQSClient,
    lambda: fakeQueues().lambda,
    scheduler: {
      send: (command: { input: CreatedSchedule }) => createSchedule(command.input),
    } as unknown as SchedulerClient,
    ssm: { send: () => Promise.reject(new Error('No parameters')) } as unknown as SSMClient,
    keyRing: () => Promise.resolve(ring),
    setting: name => SETTINGS[name] ?? name,
    now: () => clock.now,
  };

  /** Connects an account, which replaces that of the platform where `change` gives it another id. */
  async function connect(platformId: PlatformId, change: Partial<Connection> = {}): Promise<void> {
    const id = change.id ?? connectionId(platformId);
    const connection = connectionOf(platformId, text => seal(ring, id, text));
    await putConnection(table, { ...connection, ...change });
  }

  /** Forgets the posts of an account, so that a test is not stopped by the account's daily cap. */
  async function forgetPostsOf(platformId: PlatformId): Promise<void> {
    const reservations = await listCapReservations(table, connectionId(platformId), 0, clock.now + 2 * DAY);
    await Promise.all(reservations.map(each => deleteCapReservation(table, each)));
  }

  async function store(change: Partial<Post> = {}, platforms: readonly PlatformId[] = ['x']): Promise<Post> {
    const post = { ...newPendingPost(clock.now, platforms), ...change };
    const stored = { ...post, wake_at: firstSweepAt(post, clock.now) };
    await Promise.all(platforms.map(forgetPostsOf));
    await createPost(table, stored);
    return stored;
  }

  /** Returns a process of a publisher that is killed as `crash` says, or suspended as `pause` says. */
  function newProcess(crash: Crash | null = null, pause: Pause | null = null) {
    const process = crashingServices(services, crash, pause);
    const remainingMs = () => invocation.remainingMs;
    const publisher = fakePublisher(platform, process.external, () => clock.now);
    const publishers = { x: publisher, bluesky: publisher, telegram: publisher, linkedin: publisher };
    const sleep = (ms: number) => Promise.resolve(void (clock.now += ms));
    return { ...process, run: { services: process.services, publishers, remainingMs, sleep } };
  }

  /**
   * Handles one message in a process of its own. The message of a killed process returns to the queue after its
   * visibility timeout. Returns false then.
   */
  async function handle(message: QueuedMessage, crash: Crash | null = null): Promise<boolean> {
    const next = crash ?? pendingCrash();
    const process = newProcess(next);
    message.receives += 1;
    const isKilled = () => next !== null && process.calls() >= next.at;
    try {
      await consume(process.run, message);
      if (!isKilled()) return true;
    } catch (error) {
      if (!(error instanceof Killed) && !isKilled()) throw error;
    } finally {
      calls.total += process.calls();
    }
    queue.push({ ...message, at: clock.now + VISIBILITY_MS });
    return false;
  }

  /** Returns the crash that `runWithCrash` asked for, counted from the next process. */
  const pendingCrash = (): Crash | null =>
    calls.crash && calls.crash.at > calls.total ? { ...calls.crash, at: calls.crash.at - calls.total } : null;

  /**
   * Sends a publish message for every destination, and runs until the post is settled. The process that makes the n-th
   * external call of all is killed. Returns the number of calls.
   */
  async function runWithCrash(post: Post, crash: Crash | null): Promise<number> {
    queue.push(...destinationsOf(post).map(({ platform: id }) => publishMessage(post, id)));
    Object.assign(calls, { total: 0, crash });
    await runUntilSettled(post);
    calls.crash = null;
    return calls.total;
  }

  type Run = ReturnType<typeof newProcess>['run'];

  async function consume(run: Run, { queue: name, body, receives }: QueuedMessage): Promise<void> {
    const json: unknown = JSON.parse(body);
    if (name === 'dispatch') {
      await dispatch(run.services, v.parse(DispatchMessageSchema, json));
    } else if (receives > MAX_RECEIVES) {
      await handleDeadLetter(run.services, v.parse(PublishMessageSchema, json));
    } else {
      await deliver(run, v.parse(PublishMessageSchema, json));
    }
  }

  /** Advances the clock from message to message and from sweep to sweep until the post is settled. */
  async function runUntilSettled(post: Post, maxTurns = 200): Promise<void> {
    for (let turn = 0; turn < maxTurns; turn += 1) {
      await runDue();
      const { wake_at } = (await getPost(table, post.workspace_id, post.post_id))!;
      const next = Math.min(wake_at ?? Infinity, ...queue.map(message => message.at));
      if (next === Infinity) return;
      clock.now = Math.max(clock.now, next);
      if (wake_at !== undefined && wake_at <= clock.now) sweep(post);
    }
    throw new Error('The post did not settle');
  }

  /** Sends the dispatch message that the sweeper would send. */
  function sweep({ workspace_id, post_id }: Post): void {
    const body = JSON.stringify({ workspace_id, post_id });
    queue.push({ queue: 'dispatch', body, at: clock.now, receives: 0 });
  }

  /** Handles every message that can be received now. */
  async function runDue(): Promise<void> {
    for (;;) {
      const index = queue.findIndex(message => message.at <= clock.now);
      const [message] = index < 0 ? [] : queue.splice(index, 1);
      if (!message) return;
      await handle(message);
    }
  }

  /** Forgets everything that happened so far, except the table. */
  function reset(): void {
    queue.length = 0;
    events.length = 0;
    completed.length = 0;
    schedules.length = 0;
    sent.publish = 0;
    Object.assign(platform, newFakePlatform());
    invocation.remainingMs = REMAINING_MS;
  }

  return {
    table,
    services,
    clock,
    queue,
    events,
    completed,
    invocation,
    platform,
    schedules,
    sent,
    connect,
    store,
    newProcess,
    consume,
    handle,
    runUntilSettled,
    runWithCrash,
    runDue,
    reset,
    schedule: (post: Post) => schedulePost(services, post),
    removeWebhook: () => deleteWebhook(table, WORKSPACE, LISTENER.id),
    connection: (platformId: PlatformId) => getConnection(table, WORKSPACE, PROFILE, platformId),
    read: async (post: Post) => (await getPost(table, post.workspace_id, post.post_id))!,
    /** Handles a message without a crash. Returns the number of external calls. */
    handleCounted: async (message: QueuedMessage) => {
      const process = newProcess();
      await consume(process.run, { ...message, receives: 1 });
      return process.calls();
    },
    close: () => table.close(),
  };
}

export type DeliveryWorld = Awaited<ReturnType<typeof deliveryWorld>>;

/** Returns a publish message of a post that can be received at once. */
export function publishMessage(
  { workspace_id, post_id, version }: Pick<Post, 'workspace_id' | 'post_id' | 'version'>,
  platform: PlatformId = 'x',
  change: Partial<QueuedMessage> = {},
): QueuedMessage {
  const body = JSON.stringify({ workspace_id, post_id, version, platform });
  return { queue: 'publish', body, at: 0, receives: 0, ...change };
}

const LISTENER = webhookWith({ id: 'h1', workspace_id: WORKSPACE, url: 'https://example.com/hook' });

const SETTINGS: Record<string, string> = {
  EVENTS_QUEUE_URL: 'events',
  DISPATCH_QUEUE_URL: 'dispatch',
  PUBLISH_QUEUE_URL_X: 'publish',
  PUBLISH_QUEUE_URL_BLUESKY: 'publish',
  PUBLISH_QUEUE_URL_TELEGRAM: 'publish',
  PUBLISH_QUEUE_URL_LINKEDIN: 'publish',
  PUBLIC_URL: 'https://api.example.com/v1',
  PARAMETER_PREFIX: '/test',
};

/** Returns a post whose destinations have accounts of their own, so that only tests of the daily cap reach it. */
export function newPendingPost(now: number, platforms: readonly PlatformId[]): Post {
  const post_id = newId(now);
  return {
    post_id,
    workspace_id: WORKSPACE,
    profile_id: PROFILE,
    profile_name: 'Acme',
    post_type: 'text',
    title: null,
    description: 'Hello',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    scheduling: 'immediate',
    due_at: now,
    version: 1,
    created_by: null,
    created_at: now,
    updated_at: now,
    destinations: Object.fromEntries(
      platforms.map(platform => [
        platform,
        {
          status: 'pending',
          platform,
          social_account_id: connectionId(platform),
          revision: 1,
          attempts: 0,
          failures: 0,
          first_attempt_at: null,
          changed_at: now,
          outbox: [],
        },
      ]),
    ),
  };
}

function connectionOf(platform: PlatformId, sealText: (text: string) => string): Connection {
  return {
    id: connectionId(platform),
    workspace_id: WORKSPACE,
    profile_id: PROFILE,
    platform,
    way: 'default',
    platform_user_id: 'u1',
    display_name: 'Acme',
    username: 'acme',
    avatar_url: null,
    scopes: [],
    attributes: {},
    sealed: sealText(JSON.stringify(testCredentials(platform))),
    revision: 1,
    renew_at: null,
    token_expires_at: null,
    needs_reconnect: false,
    needs_target: false,
    renewal_lease_until: null,
    connected_at: 0,
  };
}
