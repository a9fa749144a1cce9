import type { Identify } from '../../shared/platforms/contract/publisher.ts';

/** Chooses the first of several posts, as for an account with one post only. */
export const onlyPost: Identify = ([post]) =>
  Promise.resolve(post ? { type: 'published', post } : { type: 'absent' });

/** Says that every post is that of another post of the account. `asked`: the ids of the posts, in order. */
export function allTaken(): { identify: Identify; asked: string[] } {
  const asked: string[] = [];
  const identify: Identify = posts => {
    asked.push(...posts.map(({ platform_post_id }) => platform_post_id));
    return Promise.resolve({ type: 'absent' });
  };
  return { identify, asked };
}
