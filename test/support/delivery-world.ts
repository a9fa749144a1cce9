import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { newKeyRing, seal } from '../../shared/aws/key-ring.ts';
import { deliver } from '../../shared/delivery/deliver.ts';
import { dispatch } from '../../shared/delivery/dispatch.ts';
import { handleDeadLetter } from '../../shared/delivery/dead-letters.ts';
import { DispatchMessageSchema, PublishMessageSchema } from '../../shared/delivery/messages.ts';
import { schedulePost } from '../../shared/delivery/schedule.ts';
import { firstSweepAt } from '../../shared/delivery/timing.ts';
import { newId } from '../../shared/model/id.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import type { PublishedPost } from '../../shared/model/destination.ts';
import type { Post } from '../../shared/model/post.ts';
import type { Connection } from '../../shared/model/profile.ts';
import {
  definePublisher,
  type Finding,
  type Publisher,
  type StepContext,
} from '../../shared/platforms/contract/publisher.ts';
import { PlatformError, type PlatformErrorInit } from '../../shared/platforms/contract/error.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection, putConnection } from '../../shared/store/connections.ts';
import { createPost, getPost } from '../../shared/store/posts.ts';
import { createTestTable, type TestTable } from './table.ts';

const WORKSPACE = 'w1';
const PROFILE = 'p1';
/** Six times the publishers' time-out, as the stack sets it. */
const VISIBILITY_MS = 360_000;
const MAX_RECEIVES = 5;

/** A process that dies at its n-th call to the outside, before or after the call took effect. */
export interface Death {
  at: number;
  when: 'before' | 'after';
}

interface Alarm {
  Name: string;
  ScheduleExpression: string;
  Target: { Input: string };
}

interface QueuedNote {
  queue: string;
  body: string;
  /** Tenant of the fair queue. */
  group?: string;
  at: number;
  receives: number;
}

class Killed extends Error {}

/** A platform in memory that counts what is live. */
export interface FakePlatform {
  live: { key: string; at: number; text: string }[];
  uploads: number;
  /** How many uploads a file takes. */
  parts: number;
  /** Uploads of a post that fail once, from 0. */
  uploadFaults: number[];
  comments: string[];
  /** Errors for the next first comments, in order. */
  commentFaults: PlatformErrorInit[];
  /** Errors for the next commits, in order; `accepted` puts the post live all the same. */
  faults: (PlatformErrorInit & { accepted?: boolean })[];
  /** How a lost commit is answered for. */
  reconcile: 'by key' | 'cannot tell';
  /** Errors for the next questions about a lost commit, in order. */
  askFaults: PlatformErrorInit[];
  /** Scheduler takes schedules; default: it refuses them. */
  scheduler?: boolean;
}

/**
 * The delivery machine with everything real but the platform and the queue: the table is DynamoDB, the clock is set by
 * the test, and any call can be the last one of its process.
 */
export async function deliveryWorld() {
  const table = await createTestTable();
  const ring = newKeyRing();
  const clock = { now: Date.UTC(2026, 11, 1, 10) };
  const queue: QueuedNote[] = [];
  const events: { event: string; id: string; data: { platform: string } }[] = [];
  const platform: FakePlatform = {
    live: [],
    uploads: 0,
    parts: 1,
    uploadFaults: [],
    faults: [],
    reconcile: 'by key',
    askFaults: [],
    comments: [],
    commentFaults: [],
  };
  const schedules: Alarm[] = [];
  const process = { calls: 0, death: null as Death | null, dead: false };

  /** Lets a call to the outside happen, unless the process is dead or dies of it. */
  async function outside<T>(call: () => Promise<T> | T): Promise<T> {
    if (process.dead) throw new Killed();
    process.calls += 1;
    const dies = process.death?.at === process.calls ? process.death.when : null;
    if (dies === 'before') {
      process.dead = true;
      throw new Killed();
    }
    const result = await call();
    if (dies === 'after') {
      process.dead = true;
      throw new Killed();
    }
    return result;
  }

  function send(command: SendMessageCommand) {
    const { QueueUrl, MessageBody, DelaySeconds, MessageGroupId } = command.input;
    if (QueueUrl === 'events') {
      const message = JSON.parse(MessageBody!) as { event: (typeof events)[number] };
      events.push(message.event);
    } else
      queue.push({
        queue: QueueUrl!,
        body: MessageBody!,
        at: clock.now + (DelaySeconds ?? 0) * 1000,
        receives: 0,
        group: MessageGroupId ?? '',
      });
    return Promise.resolve({});
  }

  /** Refuses every schedule, unless a test wants to have them. */
  function setAlarmClock(alarm: Alarm) {
    if (!platform.scheduler) return Promise.reject(new Error('no scheduler here'));
    schedules.push(alarm);
    return Promise.resolve({});
  }

  const mortalTable: TestTable = {
    ...table,
    client: {
      send: (command: never) => outside(() => table.client.send(command)),
    } as unknown as DynamoDBDocumentClient,
  };
  const services: Services = {
    table: mortalTable,
    bucket: { publicUrl: 'https://media.example.com' } as Bucket,
    sqs: { send: (command: SendMessageCommand) => outside(() => send(command)) } as unknown as SQSClient,
    scheduler: {
      send: (command: { input: Alarm }) => outside(() => setAlarmClock(command.input)),
    } as unknown as SchedulerClient,
    ssm: null as unknown as SSMClient,
    keyRing: () => Promise.resolve(ring),
    setting: name => SETTINGS[name] ?? name,
    now: () => clock.now,
  };
  const publisher = fakePublisher(platform, outside, () => clock.now);
  const publishers = { x: publisher, bluesky: publisher, telegram: publisher, linkedin: publisher };

  async function connect(platformId: PlatformId): Promise<void> {
    await putConnection(
      table,
      connectionOf(platformId, text => seal(ring, `c-${platformId}`, text)),
    );
  }

  async function store(change: Partial<Post> = {}, platforms: readonly PlatformId[] = ['x']): Promise<Post> {
    const post = { ...newPendingPost(clock.now, platforms), ...change };
    const stored = { ...post, wake_at: firstSweepAt(post.due_at, clock.now) };
    await createPost(table, stored);
    return stored;
  }

  /** Handles one note in a process of its own; a dead one leaves its note to the visibility time-out. */
  async function handle(message: QueuedNote, death: Death | null = null): Promise<boolean> {
    Object.assign(process, { calls: 0, death, dead: false });
    message.receives += 1;
    try {
      const json: unknown = JSON.parse(message.body);
      if (message.queue === 'dispatch') await dispatch(services, v.parse(DispatchMessageSchema, json));
      else if (message.receives > MAX_RECEIVES)
        await handleDeadLetter(services, v.parse(PublishMessageSchema, json));
      else
        await deliver(
          { services, publishers, remainingMs: () => 200_000 },
          v.parse(PublishMessageSchema, json),
        );
      if (!process.dead) return true;
    } catch (error) {
      if (!(error instanceof Killed) && !process.dead) throw error;
    } finally {
      Object.assign(process, { calls: 0, death: null, dead: false });
    }
    queue.push({ ...message, at: clock.now + VISIBILITY_MS });
    return false;
  }

  /**
   * Lets time pass until nothing is left to do for a post: each turn goes to the next note or to the sweeper's next
   * look, whichever comes first.
   */
  async function settle(post: Post, maxTurns = 200): Promise<void> {
    for (let turn = 0; turn < maxTurns; turn += 1) {
      await runDue();
      const { wake_at } = (await getPost(table, post.workspace_id, post.post_id))!;
      const next = Math.min(wake_at ?? Infinity, ...queue.map(message => message.at));
      if (next === Infinity) return;
      clock.now = Math.max(clock.now, next);
      if (wake_at !== undefined && wake_at <= clock.now) {
        const { workspace_id, post_id } = post;
        queue.push({
          queue: 'dispatch',
          body: JSON.stringify({ workspace_id, post_id }),
          at: clock.now,
          receives: 0,
        });
      }
    }
    throw new Error('The post never settled');
  }

  async function runDue(): Promise<void> {
    for (;;) {
      const index = queue.findIndex(message => message.at <= clock.now);
      const [message] = index < 0 ? [] : queue.splice(index, 1);
      if (!message) return;
      await handle(message);
    }
  }

  return {
    table,
    services,
    clock,
    queue,
    events,
    platform,
    schedules,
    connect,
    store,
    handle,
    settle,
    runDue,
    alarm: (post: Post) => schedulePost(services, post),
    connection: (platformId: PlatformId) => getConnection(table, WORKSPACE, PROFILE, platformId),
    read: async (post: Post) => (await getPost(table, post.workspace_id, post.post_id))!,
    /** Handles a note without fault; gives the number of calls to the outside. */
    handleCounted: async (message: QueuedNote) => {
      Object.assign(process, { calls: 0, death: null, dead: false });
      await deliver(
        { services, publishers, remainingMs: () => 200_000 },
        v.parse(PublishMessageSchema, JSON.parse(message.body)),
      );
      return process.calls;
    },
    close: () => table.close(),
  };
}

export type DeliveryWorld = Awaited<ReturnType<typeof deliveryWorld>>;

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

const BUSY: PlatformErrorInit = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'busy' };

/** Uploads where there are media, commits under the post's id as its key, then comments where there is a comment. */
function fakePublisher(
  platform: FakePlatform,
  outside: <T>(call: () => Promise<T> | T) => Promise<T>,
  now: () => number,
): Publisher {
  const live = (key: string) => platform.live.find(each => each.key === key);
  const takeUploadFault = (part: number) => {
    const [next] = platform.uploadFaults;
    if (next !== part) return false;
    platform.uploadFaults.shift();
    return true;
  };
  const postOf = (key: string, at: number) => ({
    platform_post_id: key,
    platform_post_url: `https://example.com/${key}`,
    published_at: at,
  });
  return definePublisher<{ media: number }>({
    state: v.object({ media: v.number() }),
    initial: () => ({ media: 0 }),
    steps: job => [
      ...(job.media_urls.length > 0
        ? [
            {
              name: 'upload',
              kind: 'prepare' as const,
              run: async (_: StepContext, state: { media: number }) => {
                await outside(() => (platform.uploads += 1));
                if (takeUploadFault(state.media)) throw new PlatformError(BUSY);
                const media = state.media + 1;
                return {
                  type:
                    media < job.media_urls.length * platform.parts ? ('again' as const) : ('next' as const),
                  state: { media },
                };
              },
            },
          ]
        : []),
      {
        name: 'create',
        kind: 'commit' as const,
        run: async (_: StepContext, state: { media: number }) => {
          const key = `${job.post_id}:${job.platform}`;
          const fault = platform.faults.shift();
          await outside(() => {
            if (!fault || fault.accepted) platform.live.push({ key, at: now(), text: job.text });
          });
          if (fault) throw new PlatformError(fault);
          return { type: 'published' as const, post: postOf(key, now()), state };
        },
        reconcile: async (): Promise<Finding> => {
          const fault = platform.askFaults.shift();
          if (fault) throw new PlatformError(fault);
          if (platform.reconcile === 'cannot tell') return { type: 'unknown' };
          const key = `${job.post_id}:${job.platform}`;
          const found = await outside(() => live(key));
          return found ? { type: 'published', post: postOf(key, found.at) } : { type: 'absent' };
        },
      },
      ...(job.first_comment === null
        ? []
        : [
            {
              name: 'comment',
              kind: 'finish' as const,
              run: async (_: StepContext, __: object, post: PublishedPost) => {
                const fault = platform.commentFaults.shift();
                if (fault) throw new PlatformError(fault);
                await outside(() => platform.comments.push(`${post.platform_post_id} ${job.first_comment}`));
              },
            },
          ]),
    ],
  });
}

/** Every post has accounts of its own, so that a daily cap is met only by the tests that mean to meet it. */
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
          social_account_id: `c-${platform}-${post_id}`,
          revision: 1,
          attempts: 0,
          faults: 0,
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
    id: `c-${platform}`,
    workspace_id: WORKSPACE,
    profile_id: PROFILE,
    platform,
    platform_user_id: 'u1',
    display_name: 'Acme',
    username: 'acme',
    avatar_url: null,
    scopes: [],
    attributes: {},
    sealed: sealText(JSON.stringify({ access_token: 'a', refresh_token: null, secret: null })),
    revision: 1,
    token_expires_at: null,
    needs_reconnect: false,
    renewal_lease_until: null,
    connected_at: 0,
  };
}
