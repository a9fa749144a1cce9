import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/aws/free-port.ts';
import { startStack, type TestStack } from '../support/stack.ts';
import { createAll, drawOrders, type Order } from './posts.ts';
import { conclude, settle } from './round.ts';
import { add, type Campaign } from './state.ts';
import { openWorld } from './world.ts';

const POSTS = 100;

/**
 * The whole stack ends in the middle of everything, and is started again with what it kept. The platforms of the
 * sandbox forget what they published when they end, and its receivers what they were told, so none takes anything
 * before: attempts and deliveries of every stage are in flight, some of them marked.
 */
export async function powerCut(
  open: (stack: TestStack) => Promise<Campaign>,
  end: 'SIGKILL' | 'SIGTERM',
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'campaign-'));
  // The same addresses before and after: media, and the receiver of the events.
  const args = ['--port', String(await freePort())];
  let stack = await startStack({ data, args });
  try {
    const before = await open(stack);
    const { report, say } = before;
    const tag = `Seed ${report.seed} ended by ${end}`;
    const orders = drawOrders(before.random, before.menu, tag, POSTS, 0.4);
    for (const platform of before.menu.keys()) {
      await stack.control('POST', '/_control/faults', { platform, drop: 'before', times: 0 });
    }
    await stack.control('PUT', '/_control/receiver/campaign', { script: [{ status: 503 }] });
    const create = async (some: Order[]) =>
      createAll(stack, some, await before.world.now(), () => before.world.pass(30));
    const early = await create(orders.slice(0, POSTS / 2));
    for (const seconds of [20, 60, 60]) await before.world.pass(seconds);
    const ids = new Map([...early, ...(await create(orders.slice(POSTS / 2)))]);
    await stack.close(end);
    add(report.faults, `whole stack ended by ${end} and started again`, 1);
    stack = await startStack({ data, args });
    const after = { ...before, stack, world: openWorld(stack) };
    const inFlight = await settle(after, () => Promise.resolve());
    await conclude(after, { tag, since: 0, orders, ids, refusals: new Map(), inFlight });
    say(`stack ended by ${end}: ${report.posts} posts, ${report.violations.length} violations`);
  } finally {
    await stack.close();
    rmSync(data, { recursive: true, force: true });
  }
}
