import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { BOARD } from '../support/pinterest.ts';
import { closeStack, create, finishedPost, media } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';

/* One post to every platform that takes its type: no type is taken by all twelve, image and video together are. */

let stack: TestStack;
beforeAll(async () => void (stack = await sharedStack()));
afterAll(() => closeStack(stack));

const FIELDS = { tiktok_privacy_level: 'SELF_ONLY', pinterest_board_id: BOARD.id };
const without = (platform: PlatformId) => PLATFORM_IDS.filter(each => each !== platform);

test.each([
  ['text', ['x', 'facebook', 'linkedin', 'threads', 'bluesky', 'gbp', 'telegram'], []],
  ['image', without('youtube'), ['photo.jpg']],
  ['video', without('bluesky'), ['clip.mp4']],
] as const)(
  'one request publishes a post of type %s on all platforms that take it',
  async (type, platforms, files) => {
    const description = `Everywhere: ${type}`;
    const id = await create(stack, {
      post_type: type,
      platforms,
      description,
      ...(files.length > 0 && { ...FIELDS, media_urls: files.map(name => media(stack, name)) }),
    });
    const { destinations } = await finishedPost(stack, id);
    const failures = destinations.filter(({ status }: Json) => status !== 'published');
    expect(failures.map(({ platform, error }: Json) => [platform, error])).toEqual([]);
    for (const { platform, platform_post_id } of destinations) {
      const { body } = await stack.control('GET', `/_control/published?platform=${platform}`);
      const ids = body.items.map((item: Json) => item.platform_post_id);
      expect([platform, ids.filter((each: string) => each === platform_post_id)]).toEqual([
        platform,
        [platform_post_id],
      ]);
    }
  },
);
