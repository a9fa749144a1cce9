import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { FIRST_COMMENT, type PublishedPost } from '../../shared/model/destination.ts';
import { failure } from '../../shared/model/failure.ts';
import { JsonObjectSchema, type JsonObject } from '../../shared/model/json.ts';
import { PlatformError, type PlatformErrorInit } from '../../shared/platforms/contract/error.ts';
import {
  defineFollowUp,
  definePublisher,
  type Finding,
  type FollowUp,
  type FollowUpResult,
  type Publisher,
  type PublishJob,
  type Step,
} from '../../shared/platforms/contract/publisher.ts';

/** An error, and whether the request took effect despite it. */
export type FakeFault = PlatformErrorInit & { accepted?: boolean };

/** A follow-up of the fake platform's posts. */
export interface FakeFollowUp {
  name: string;
  idempotent?: true;
  /** How a lost run is reconciled. Default: it cannot be. */
  reconcile?: 'by key' | 'cannot tell';
  /** Runs that return `again` before the last. */
  parts?: number;
  /** Runs that return `wait` before the last. */
  waits?: number;
  amend?: Partial<PublishedPost>;
  /** The platform rejects it; `revokes`: and withdraws the post. */
  rejects?: { revokes?: true };
}

/** A platform in memory. */
export interface FakePlatform {
  live: { id: string; key: string; at: number; text: string }[];
  uploads: number;
  /** Uploads per file. */
  parts: number;
  /** Uploads of a post, from 0, that fail once. */
  uploadFaults: number[];
  /** How long the platform processes media before the post can be committed, and its hint when to ask again. */
  processing: { ms: number; hintMs: number };
  /** How long the platform works on a post that it has taken, and whether it then gives it up; null where it is live at once. */
  finishing: { ms: number; givesUp: boolean } | null;
  /** When posts by their keys were taken. */
  taken: Map<string, number>;
  /** Accounts and targets of commits and of readings of lost ones, in order. */
  owners: string[];
  /** Status requests so far. */
  polls: number;
  /** Keys of posts with uploaded media that are neither live nor discarded. */
  staged: Set<string>;
  /** Bytes of the publisher's state beyond its own. */
  stateBytes: number;
  /** Stores the publisher's state encrypted. */
  sealed: boolean;
  /** Attributes of the account that a commit finds changed. */
  changedAttributes: Readonly<Record<string, string>> | null;
  /** Awaited by each commit before its request is sent. */
  beforeCommit: () => Promise<void>;
  /** Errors of the next commits, in order. */
  commitFaults: FakeFault[];
  /** What reading a lost commit finds out. `by text`: all posts with the same text, the newest first. */
  reconcile: 'by key' | 'by text' | 'cannot tell';
  /** Reads of a lost commit that ask to read again after `reconcileWaitMs`. */
  reconcileWaits: number;
  reconcileWaitMs: number;
  /** Errors of the next reads of a lost commit, in order. */
  reconcileFaults: PlatformErrorInit[];
  followUps: FakeFollowUp[];
  /** Errors of the next runs of a follow-up by its name, in order. */
  followUpFaults: Record<string, FakeFault[]>;
  /** Effects of follow-ups: `<post> <name>`, for a first comment with its text. */
  effects: string[];
  discards: number;
  /** Errors of the next discards, in order. */
  discardFaults: PlatformErrorInit[];
  /** True to accept schedules; EventBridge Scheduler refuses them by default. */
  scheduler: boolean;
}

export const newFakePlatform = (): FakePlatform => ({
  live: [],
  uploads: 0,
  parts: 1,
  uploadFaults: [],
  processing: { ms: 0, hintMs: 0 },
  finishing: null,
  taken: new Map(),
  owners: [],
  polls: 0,
  staged: new Set(),
  stateBytes: 0,
  sealed: false,
  changedAttributes: null,
  beforeCommit: () => Promise.resolve(),
  commitFaults: [],
  reconcile: 'by key',
  reconcileWaits: 0,
  reconcileWaitMs: 60_000,
  reconcileFaults: [],
  followUps: [],
  followUpFaults: {},
  effects: [],
  discards: 0,
  discardFaults: [],
  scheduler: false,
});

const BUSY: PlatformErrorInit = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'busy' };

const GIVEN_UP: PlatformErrorInit = { kind: 'rejected', code: 'MEDIA_REJECTED', message: 'unreadable' };

const StateSchema = v.object({
  media: v.number(),
  processing_since: v.nullable(v.number()),
  padding: v.string(),
});
type State = v.InferOutput<typeof StateSchema>;

const keyOf = (job: PublishJob) => `${job.post_id}:${job.platform}`;

const postOf = (id: string, at: number): PublishedPost => ({
  platform_post_id: id,
  platform_post_url: `https://example.com/${id}`,
  published_at: at,
});

/**
 * Returns a publisher of the fake platform: uploads where there are media, a wait for processing, a commit under the
 * post's id as its key, follow-ups. `external` makes its requests calls of the process under test.
 */
export function fakePublisher(
  platform: FakePlatform,
  external: <T>(call: () => Promise<T> | T) => Promise<T>,
  now: () => number,
): Publisher {
  const upload: Step<State, JsonObject> = {
    name: 'upload',
    kind: 'prepare',
    run: async ({ job }, state) => {
      await external(() => {
        platform.uploads += 1;
        platform.staged.add(keyOf(job));
      });
      if (platform.uploadFaults[0] === state.media) {
        platform.uploadFaults.shift();
        throw new PlatformError(BUSY);
      }
      const media = state.media + 1;
      const padding = platform.stateBytes > 0 ? randomBytes(platform.stateBytes / 2).toString('hex') : '';
      const type = media < job.media_urls.length * platform.parts ? 'again' : 'next';
      return { type, state: { ...state, media, padding } };
    },
  };
  const processing: Step<State, JsonObject> = {
    name: 'process',
    kind: 'prepare',
    run: (_, state) =>
      external(() => {
        platform.polls += 1;
        const since = state.processing_since ?? now();
        if (now() >= since + platform.processing.ms) return { type: 'next', state };
        return {
          type: 'wait',
          state: { ...state, processing_since: since },
          delayMs: platform.processing.hintMs,
        };
      }),
  };
  const create: Step<State, JsonObject> = {
    name: 'create',
    kind: 'commit',
    run: async ({ job, account, target, saveAttributes }, state) => {
      if (platform.changedAttributes) await saveAttributes(platform.changedAttributes);
      await platform.beforeCommit();
      platform.owners.push(`${account.connection_id} ${target?.id ?? '-'}`);
      const key = keyOf(job);
      if (platform.taken.has(key)) throw new PlatformError(GIVEN_UP);
      if (platform.finishing) {
        await external(() => void platform.taken.set(key, now()));
        return { type: 'pending', state, delayMs: 5000 };
      }
      const fault = platform.commitFaults.shift();
      const copies = platform.live.filter(each => each.key === key).length;
      const id = copies === 0 ? key : `${key}:${copies + 1}`;
      await external(() => {
        if (fault && !fault.accepted) return;
        platform.live.push({ id, key, at: now(), text: job.text });
        platform.staged.delete(key);
      });
      if (fault) throw new PlatformError(fault);
      return { type: 'published', post: postOf(id, now()), state };
    },
    reconcile: async ({ job, account, target, identify }): Promise<Finding> => {
      platform.owners.push(`${account.connection_id} ${target?.id ?? '-'}`);
      const fault = platform.reconcileFaults.shift();
      if (fault) throw new PlatformError(fault);
      if (platform.finishing) return external(() => finish(platform, job, now()));
      if (platform.reconcile === 'cannot tell') return { type: 'unknown' };
      if (platform.reconcileWaits > 0) {
        platform.reconcileWaits -= 1;
        return { type: 'wait', delayMs: platform.reconcileWaitMs };
      }
      if (platform.reconcile === 'by text') {
        const alike = await external(() => platform.live.filter(({ text }) => text === job.text));
        return identify(alike.toReversed().map(({ id, at }) => postOf(id, at)));
      }
      const found = await external(() => platform.live.find(({ key }) => key === keyOf(job)));
      return found ? { type: 'published', post: postOf(found.id, found.at) } : { type: 'absent' };
    },
  };

  return definePublisher<State, JsonObject>({
    credentials: JsonObjectSchema,
    state: StateSchema,
    ...(platform.sealed && { sealed: true }),
    initial: () => ({ media: 0, processing_since: null, padding: '' }),
    steps: job => [
      ...(job.media_urls.length > 0 ? [upload] : []),
      ...(platform.processing.ms > 0 ? [processing] : []),
      create,
    ],
    followUps: job => [
      ...(job.first_comment === null ? [] : [firstComment(platform, external)]),
      ...platform.followUps.map(each => fakeFollowUp(each, platform, external)),
    ],
    discard: async ({ job }) => {
      const fault = platform.discardFaults.shift();
      await external(() => {
        platform.discards += 1;
        if (!fault) platform.staged.delete(keyOf(job));
      });
      if (fault) throw new PlatformError(fault);
    },
  });
}

/** Makes a post live that the platform has worked on for long enough. */
function finish({ finishing, taken, live }: FakePlatform, job: PublishJob, now: number): Finding {
  const key = keyOf(job);
  const since = taken.get(key);
  if (!finishing || since === undefined) return { type: 'absent' };
  if (now < since + finishing.ms) return { type: 'wait', delayMs: Math.max(5000, finishing.ms / 20) };
  if (finishing.givesUp) return { type: 'absent' };
  const known = live.find(each => each.key === key);
  if (!known) live.push({ id: key, key, at: now, text: job.text });
  return { type: 'published', post: postOf(key, known?.at ?? now) };
}

type External = <T>(call: () => Promise<T> | T) => Promise<T>;

const ProgressSchema = v.object({ runs: v.number() });
type Progress = v.InferOutput<typeof ProgressSchema>;

function firstComment(platform: FakePlatform, external: External): FollowUp<State, JsonObject> {
  return fakeFollowUp({ name: FIRST_COMMENT }, platform, external);
}

function fakeFollowUp(
  fake: FakeFollowUp,
  platform: FakePlatform,
  external: External,
): FollowUp<State, JsonObject> {
  const { name, idempotent, reconcile, parts = 0, waits = 0, amend, rejects } = fake;
  const effectOf = ({ platform_post_id }: PublishedPost, { first_comment }: PublishJob) =>
    `${platform_post_id} ${name}${name === FIRST_COMMENT ? ` ${first_comment}` : ''}`;
  return defineFollowUp<Progress, State, JsonObject>({
    name,
    ...(idempotent && { idempotent }),
    state: ProgressSchema,
    initial: () => ({ runs: 0 }),
    run: async ({ job }, { runs }, post): Promise<FollowUpResult<Progress>> => {
      const state = { runs: runs + 1 };
      if (runs < parts) return external(() => ({ type: 'again', state }));
      if (runs < parts + waits) return external(() => ({ type: 'wait', state, delayMs: 5000 }));
      if (rejects) return { type: 'rejected', failure: failure('CONTENT_REJECTED', 'Not here'), ...rejects };
      const fault = platform.followUpFaults[name]?.shift();
      await external(() => {
        if (fault && !fault.accepted) return;
        const effect = effectOf(post, job);
        if (!idempotent || !platform.effects.includes(effect)) platform.effects.push(effect);
      });
      if (fault) throw new PlatformError(fault);
      return { type: 'done', ...(amend && { amend }) };
    },
    ...(reconcile && {
      reconcile: async ({ job }, _, post) => {
        if (reconcile === 'cannot tell') return { type: 'unknown' };
        const found = await external(() => platform.effects.includes(effectOf(post, job)));
        return found ? { type: 'done', ...(amend && { amend }) } : { type: 'absent' };
      },
    }),
  });
}
