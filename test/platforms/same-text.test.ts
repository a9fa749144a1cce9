import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlatformId } from '../../shared/model/platform.ts';
import { closeStack, create, finishedPost, media } from '../support/e2e.ts';
import { BOARD } from '../support/pinterest.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* Two posts with the same content at once, on platforms that list posts without telling which request made them. */

/** The requests that make a post visible. */
const COMMITS: Partial<Record<PlatformId, string>> = {
  threads: '/threads_publish',
  instagram: '/media_publish',
  pinterest: '/v5/pins',
  gbp: '/localPosts',
  snapchat: '/saved_stories',
};
const PLATFORMS = Object.keys(COMMITS);

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack()));
afterAll(() => closeStack(stack));

test.each(['before', 'after'] as const)(
  'both posts are live once where a connection breaks %s the request of one is processed',
  async drop => {
    for (const [platform, path] of Object.entries(COMMITS)) {
      await stack.control('POST', '/_control/faults', { platform, path, method: 'POST', drop });
    }
    const content = {
      post_type: 'image',
      platforms: PLATFORMS,
      description: `The same text, broken ${drop}`,
      media_urls: [media(stack, 'photo.jpg')],
      pinterest_board_id: BOARD.id,
      snapchat_post_type: 'saved_story',
      snapchat_saved_story_title: `Same ${drop}`,
    };
    const ids = [await create(stack, content), await create(stack, content)];
    const posts = [await finishedPost(stack, ids[0]!), await finishedPost(stack, ids[1]!)];
    for (const platform of PLATFORMS) {
      const own = posts.map(({ destinations }) =>
        destinations.find((each: Json) => each.platform === platform),
      );
      expect(own.map(({ status, error }: Json) => [platform, status, error])).toEqual(
        ids.map(() => [platform, 'published', null]),
      );
      const { body } = await stack.control('GET', `/_control/published?platform=${platform}`);
      const live = body.items.filter(
        ({ text, title }: Json) =>
          text === content.description || title === content.snapchat_saved_story_title,
      );
      const sorted = (items: Json[]) => items.map(each => each.platform_post_id).sort();
      expect([platform, sorted(live)]).toEqual([platform, sorted(own)]);
    }
  },
);
