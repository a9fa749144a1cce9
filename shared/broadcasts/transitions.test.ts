import { describe, expect, test } from '@jest/globals';
import { BROADCAST_STATUSES, type Broadcast, type BroadcastStatus } from '../model/broadcast.ts';
import { HOUR, MINUTE, SECOND } from '../time/instant.ts';
import { newSession } from './new-session.ts';
import { abandoned, ended, goneLive, isFinal, starting, stopped, withNextWorker } from './transitions.ts';
import { mayReplaceWorker, workerHealth } from './worker-health.ts';

const NOW = 10 * HOUR;
const FAILURE = { code: 'WORKER_LOST', message: 'The worker died' };

function broadcast(changes: Partial<Broadcast> = {}): Broadcast {
  const session = newSession({
    id: 'session',
    workspace_id: 'workspace',
    profile_id: 'profile',
    profile_name: 'Acme',
    social_account_id: 'account',
    title: 'Evening loop',
    description: null,
    privacy: 'public',
    start_time: NOW,
    playlist_id: 'playlist',
    is_loop: true,
    created_at: 1,
  });
  return { ...session, ...changes };
}

type Change = (from: Broadcast) => Partial<Broadcast> | null;

const CHANGES = {
  starts: from => starting(from, NOW),
  'replaces its worker': from => withNextWorker(from, NOW),
  'goes live': from => goneLive(from, NOW),
  'is stopped': from => stopped(from, NOW),
  completes: from => ended(from, 'completed', NOW),
  fails: from => ended(from, 'failed', NOW, FAILURE),
  'ends early': from => ended(from, 'stopped', NOW, FAILURE),
  'is abandoned': from => abandoned(from, NOW),
} satisfies Record<string, Change>;

type Outcome = BroadcastStatus | 'refused' | 'over';

/** The outcome of each change by status, in the order of `BROADCAST_STATUSES`. */
const OUTCOMES: Record<keyof typeof CHANGES, readonly Outcome[]> = {
  starts: ['starting', 'refused', 'refused', 'refused', 'refused', 'refused'],
  'replaces its worker': ['pending', 'starting', 'live', 'completed', 'failed', 'stopped'],
  'goes live': ['live', 'live', 'refused', 'refused', 'refused', 'refused'],
  'is stopped': ['stopped', 'stopped', 'completed', 'over', 'over', 'over'],
  completes: ['refused', 'refused', 'completed', 'refused', 'refused', 'refused'],
  fails: ['refused', 'failed', 'failed', 'refused', 'refused', 'refused'],
  'ends early': ['stopped', 'stopped', 'refused', 'refused', 'refused', 'refused'],
  'is abandoned': ['stopped', 'stopped', 'refused', 'refused', 'refused', 'refused'],
};

function outcomeOf(change: Change, from: Broadcast): Outcome {
  try {
    const changes = change(from);
    return changes === null ? 'over' : (changes.status ?? from.status);
  } catch {
    return 'refused';
  }
}

const PAIRS = Object.entries(CHANGES).flatMap(([name, change]) =>
  BROADCAST_STATUSES.map((status, index): [BroadcastStatus, string, Outcome, Change] => [
    status,
    name,
    OUTCOMES[name as keyof typeof CHANGES][index]!,
    change,
  ]),
);

test.each(PAIRS)('a %s broadcast that %s: %s', (status, _, outcome, change) => {
  expect(outcomeOf(change, broadcast({ status }))).toBe(outcome);
});

test('three statuses are final', () => {
  expect(BROADCAST_STATUSES.filter(isFinal)).toEqual(['completed', 'failed', 'stopped']);
});

test('a change tells what it does not allow', () => {
  const message = 'A broadcast cannot become live while it is stopped';
  expect(() => goneLive(broadcast({ status: 'stopped' }), NOW)).toThrow(message);
});

describe('each change', () => {
  test('keeps its facts', () => {
    const live = broadcast({ status: 'live', outbox: ['broadcast.live'], failures: 3 });
    expect(starting(broadcast(), NOW)).toMatchObject({
      attempt: 1,
      replacements: 0,
      attempt_started_at: NOW,
    });
    expect(goneLive(broadcast(), NOW)).toMatchObject({ started_at: NOW, outbox: ['broadcast.live'] });
    expect(stopped(live, NOW)).toEqual({
      status: 'completed',
      ended_at: NOW,
      failure: null,
      stop_requested: true,
      failures: 0,
      outbox: ['broadcast.live', 'broadcast.ended'],
      next_at: NOW,
    });
    expect(ended(live, 'failed', NOW, FAILURE)).toMatchObject({
      failure: FAILURE,
      stop_requested: true,
      outbox: ['broadcast.live', 'broadcast.failed'],
    });
    expect(abandoned(broadcast(), NOW)).toMatchObject({ delete_requested: true, next_at: NOW });
  });

  test('of a worker begins a new attempt, of which nothing is known', () => {
    const first = broadcast({ status: 'live', attempt: 1, task_arn: 'arn', heartbeat_at: 5 });
    expect(withNextWorker(first, NOW)).toEqual({
      attempt: 2,
      attempt_started_at: NOW,
      task_arn: null,
      heartbeat_at: null,
      worker_state: null,
      progress: null,
      replacements: 1,
    });
  });
});

describe('a worker', () => {
  const started = { attempt: 1, attempt_started_at: NOW };
  test.each<[string, Partial<Broadcast>, { isRunning: boolean; after: number }, string]>([
    ['that starts', { status: 'starting' }, { isRunning: true, after: 180 * SECOND }, 'well'],
    [
      'that has not started in time',
      { status: 'starting' },
      { isRunning: true, after: 181 * SECOND },
      'lost',
    ],
    [
      'whose task is not listed yet',
      { status: 'starting' },
      { isRunning: false, after: 20 * SECOND },
      'well',
    ],
    ['whose task has ended', { status: 'starting' }, { isRunning: false, after: 21 * SECOND }, 'lost'],
    ['that reports', { status: 'live', heartbeat_at: NOW }, { isRunning: true, after: 90 * SECOND }, 'well'],
    [
      'that is silent',
      { status: 'live', heartbeat_at: NOW },
      { isRunning: true, after: 91 * SECOND },
      'lost',
    ],
    ['in the place of another', { status: 'live' }, { isRunning: true, after: 180 * SECOND }, 'well'],
    [
      'that has finished',
      { status: 'live', worker_state: 'finished' },
      { isRunning: false, after: HOUR },
      'finished',
    ],
    [
      'that has failed',
      { status: 'starting', worker_state: 'failed' },
      { isRunning: true, after: 0 },
      'failed',
    ],
  ])('%s', (_, fields, { isRunning, after }, health) => {
    expect(workerHealth(broadcast({ ...started, ...fields }), isRunning, NOW + after)).toBe(health);
  });

  test.each([
    ['before the broadcast is live', null, 0, true],
    ['a second time before it is live', null, 1, false],
    ['in the first hour', NOW, 0, true],
    ['a second time in the first hour', NOW, 1, false],
    ['again in the second hour', NOW - 61 * MINUTE, 1, true],
  ])('may be replaced or not: %s', (_, started_at, replacements, isAllowed) => {
    expect(mayReplaceWorker(broadcast({ started_at, replacements }), NOW)).toBe(isAllowed);
  });
});
