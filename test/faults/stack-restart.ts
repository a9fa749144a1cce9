import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/aws/free-port.ts';
import { startStack, type TestStack } from '../support/stack.ts';
import { createAll, drawPlans, type PostPlan } from './posts.ts';
import { evaluateRound, settle } from './round.ts';
import { add, type Campaign } from './state.ts';
import { openWorld } from './world.ts';

const POSTS = 100;

/**
 * Ends the whole stack while posts are in flight and starts it again with its data. The sandbox does not keep what was
 * published and received, so before the restart no platform and no receiver accepts anything: attempts and webhook
 * deliveries of every stage are in flight, some with a commit intent.
 */
export async function restartStack(
  open: (stack: TestStack) => Promise<Campaign>,
  end: 'SIGKILL' | 'SIGTERM',
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'campaign-'));
  // The URLs of media and of the webhook receiver must be the same after the restart.
  const args = ['--port', String(await freePort())];
  let stack = await startStack({ data, args });
  try {
    const before = await open(stack);
    const { report, log } = before;
    const tag = `Seed ${report.seed} ended by ${end}`;
    const plans = drawPlans(before.random, before.accepted, tag, POSTS, 0.4);
    for (const platform of before.accepted.keys()) {
      await stack.control('POST', '/_control/faults', { platform, drop: 'before', times: 0 });
    }
    await stack.control('PUT', '/_control/receiver/campaign', { script: [{ status: 503 }] });
    const create = async (some: PostPlan[]) =>
      createAll(stack, some, await before.world.now(), () => before.world.pass(30));
    const early = await create(plans.slice(0, POSTS / 2));
    for (const seconds of [20, 60, 60]) await before.world.pass(seconds);
    const ids = new Map([...early, ...(await create(plans.slice(POSTS / 2)))]);
    await stack.close(end);
    add(report.faults, `whole stack ended by ${end} and started again`, 1);
    stack = await startStack({ data, args });
    const after = { ...before, stack, world: openWorld(stack) };
    const inFlight = await settle(after, () => Promise.resolve());
    await evaluateRound(after, { tag, since: 0, begun: 0, plans, ids, rejections: new Map(), inFlight });
    log(`stack ended by ${end}: ${report.posts} posts, ${report.violations.length} violations`);
  } finally {
    await stack.close();
    rmSync(data, { recursive: true, force: true });
  }
}
