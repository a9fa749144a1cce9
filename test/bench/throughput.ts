import { onStack, type Bench } from './bench.ts';
import { more } from './value.ts';
import { createPosts, profilesFor, settled, textPost } from './posts.ts';

const SAMPLE = 300;

/** Posts per second through the whole stack on this machine, from the first request to the last outcome. */
export const throughput: Bench = {
  name: 'throughput',
  summary: 'posts per second through the local stack',
  run: () =>
    onStack(async stack => {
      const profiles = await profilesFor(stack, SAMPLE, 'bluesky');
      const bodies = Array.from({ length: SAMPLE }, (_, i) =>
        textPost(i, profiles[i % profiles.length]!, ['bluesky']),
      );
      const begun = Date.now();
      const posts = await settled(stack, await createPosts(stack, bodies));
      const last = Math.max(...posts.map(post => Date.parse(post.published_at ?? '')));
      const rate = SAMPLE / ((last - begun) / 1000);
      const values = { 'first request to last outcome': more(rate, 'posts a second', 1) };
      return [{ title: `${SAMPLE} posts to one platform`, values }];
    }),
};
