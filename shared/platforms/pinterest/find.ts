import type { PublishedPost } from '../../model/destination.ts';
import { parseInstant, SECOND } from '../../time/instant.ts';
import type { Finding } from '../contract/publisher.ts';
import { ABSENT } from '../kit/finding.ts';
import { sameText } from '../kit/same-text.ts';
import { recentPins, type Pin } from './client.ts';
import { boardOf, callerOf, textOption, titleOf, type Context } from './state.ts';

/** Maximum clock skew between Pinterest and the service. */
const CLOCK_SKEW_MS = 5 * SECOND;

/**
 * Looks for the Pin of the job among the newest since a time, on its board and in the list of all boards. Throws
 * PlatformError when one of them cannot be read: that is no evidence.
 */
export async function findPin(context: Context, since: number): Promise<Finding> {
  const from = since - CLOCK_SKEW_MS;
  for (const board of [boardOf(context), null]) {
    const pins = await recentPins(callerOf(context), board);
    const candidates = pins.filter(pin => createdAt(pin) >= from && isPinOf(context, pin));
    const finding = await context.identify(candidates.map(pin => postOf(pin.id, createdAt(pin))));
    if (finding.type !== 'absent') return finding;
  }
  return ABSENT;
}

/** Pinterest sends times without a zone, which are UTC. */
const createdAt = ({ created_at }: Pin): number => parseInstant(created_at ?? '') ?? 0;

function isPinOf(context: Context, pin: Pin): boolean {
  const { job } = context;
  return (
    isSame(pin.title, titleOf(job)) &&
    isSame(pin.description, job.text) &&
    isSame(pin.link, textOption(job, 'pinterest_link')) &&
    isOnBoard(pin, boardOf(context))
  );
}

const isSame = (read: string | null, sent: string | null) => sameText(read ?? '', sent ?? '');

const isOnBoard = ({ board_id }: Pin, board: string) => board_id === null || board_id === board;

export const postOf = (id: string, published_at: number): PublishedPost => ({
  platform_post_id: id,
  platform_post_url: `https://www.pinterest.com/pin/${id}/`,
  published_at,
});
