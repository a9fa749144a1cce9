import type { PlatformId } from '../../shared/model/platform.ts';
import { read } from '../support/e2e.ts';
import type { Json } from '../support/stack.ts';
import { bodyOf, DEMO, type PostPlan } from './posts.ts';
import type { Campaign } from './state.ts';

/** Most publish-queue messages of a delivery while the platform processes its media for a minute. */
export const MAX_MESSAGES = 12;

const PROCESSING_S = 60;
const STEP_S = 1;
const MAX_STEPS = 180;
const IN_FLIGHT = ['scheduled', 'queued', 'publishing'];

/**
 * Counts the publish-queue messages of a video post on each platform that accepts videos, while media are processed for
 * a minute and no fault occurs. Adds a violation for each platform that needs more than `MAX_MESSAGES`.
 */
export async function measureMessages(campaign: Campaign): Promise<void> {
  for (const [platform, contents] of campaign.accepted) {
    const video = contents.find(({ post_type }) => post_type === 'video');
    if (!video) continue;
    const key = `Seed ${campaign.report.seed} messages ${platform}`;
    const plan = { key, profile: DEMO, text: `${key} no 0`, platforms: [platform], in_s: null, ...video };
    const count = await messagesOf(campaign, platform, plan);
    campaign.report.messages.set(platform, count);
    if (count > MAX_MESSAGES) {
      const detail = `${platform}: ${count} messages for one delivery, not at most ${MAX_MESSAGES}`;
      campaign.report.violations.push({ kind: 'messages', detail, key: null });
    }
  }
}

async function messagesOf(campaign: Campaign, platform: PlatformId, plan: PostPlan): Promise<number> {
  const { stack, world } = campaign;
  await stack.control('POST', '/_control/processing', { platform, seconds: PROCESSING_S });
  await stack.local('GET', '/_local/calls?reset=1');
  const created = await stack.api('POST', '/posts', bodyOf(stack, plan, await world.now()));
  if (created.status !== 201)
    throw new Error(`${platform}: ${created.status} ${JSON.stringify(created.body)}`);
  await untilFinal(campaign, created.body.post_id);
  await stack.control('POST', '/_control/processing', { platform, seconds: 0 });
  // Every run of the publisher but the last sends the next message, and the last one sends an event: as many sends as runs.
  const { calls } = (await stack.local('GET', '/_local/calls')).body;
  const sends = calls.filter(
    (call: Json) =>
      call.service === 'sqs' &&
      call.operation === 'SendMessage' &&
      call.function.endsWith(`publisher-${platform}`),
  );
  return sends.reduce((sum: number, { count }: Json) => sum + Number(count), 0);
}

async function untilFinal({ stack, world }: Campaign, postId: string): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    await world.pass(STEP_S);
    const { status } = await read(stack, postId);
    if (!IN_FLIGHT.includes(status)) return;
  }
  throw new Error(`The post ${postId} is not final after ${MAX_STEPS * STEP_S} s`);
}
