import { announcedLimitOf, platformLimitMessage } from '../../caps/errors.ts';
import { violationsOf } from '../../caps/reserve.ts';
import type { ValidationDetail } from '../../http/errors.ts';
import { newId } from '../../model/id.ts';
import { BASICS } from '../../platforms/registry/basics.ts';
import type { Services } from '../../runtime/services.ts';
import { errorOf } from '../error.ts';
import type { Validation } from './validate.ts';

/**
 * Returns an error for every limit with which creating the post would answer 429: daily caps and limits that platforms
 * announced. A post that gets its time from the queue or the best time is not checked: it avoids such times.
 */
export async function capErrors(
  services: Services,
  { candidate, connections }: Pick<Validation, 'candidate' | 'connections'>,
): Promise<ValidationDetail[]> {
  const { scheduling, scheduled_at } = candidate;
  if (scheduling === 'queue' || scheduling === 'best_time') return [];
  const at = scheduled_at ?? services.now();
  const post_id = newId(services.now());
  const reservations = connections.map(({ id, platform }) => ({ account_id: id, platform, post_id, at }));
  const violations = await violationsOf(services, reservations);
  const limited = connections.filter(connection => announcedLimitOf([connection], at));
  return [
    ...violations.map(({ platform, cap }) => {
      const message = `The account has reached its cap of ${cap} posts in 24 hours on ${BASICS[platform].display_name}`;
      return errorOf('platforms', message, platform);
    }),
    ...limited.map(({ platform }) => errorOf('platforms', platformLimitMessage(platform), platform)),
  ];
}
