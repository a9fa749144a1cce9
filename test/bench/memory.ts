import { bundleAll } from '../../lib/bundle-all.ts';
import { CAPACITY } from '../../shared/delivery/load.ts';
import { PLATFORM_IDS, type PlatformId, type PostType } from '../../shared/model/platform.ts';
import { MB } from '../../shared/platforms/kit/sizes.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { deliver, openLab, withPublisher, type Lab, type Load } from './memory/lab.ts';
import { startPictureHost, type PictureHost } from './memory/picture.ts';
import { less, type Measure } from './value.ts';

const PICTURE_ROUNDS = 2;
const VIDEO_BYTES = 200 * MB;

/** Memory of the deployed bundle of the publishers. */
export const memory: Bench = {
  name: 'memory',
  summary: 'peak memory of the publishers, with converted pictures of 20 MB (--platform <id>)',
  isOptional: true,
  run: async ({ platform }) => {
    bundleAll();
    const host = await startPictureHost();
    try {
      return await onStack(async stack => {
        const lab = await openLab(stack);
        const results: Results[] = [];
        for (const each of PLATFORM_IDS.filter(id => (platform ?? id) === id)) {
          results.push({ title: `Peak memory of ${each}`, values: await peaksOf(lab, host, each) });
        }
        lab.posts.close();
        return results;
      });
    } finally {
      await host.close();
    }
  },
};

async function peaksOf(
  lab: Lab,
  host: PictureHost,
  platform: PlatformId,
): Promise<Record<string, Measure | string>> {
  const { text, image, video } = RULES[platform].post_types;
  const values: Record<string, Measure | string> = {};
  const measure = async (
    what: string,
    type: PostType,
    together: number,
    url: () => string | null,
    n: number,
  ) => {
    values[what] = await peakOf(lab, platform, { type, together, url, n });
  };
  if (text) await measure('ten texts', 'text', CAPACITY, () => null, 1);
  if (image) {
    await measure('one picture', 'image', 1, host.newUrl, PICTURE_ROUNDS);
    await measure('two pictures', 'image', 2, host.newUrl, PICTURE_ROUNDS);
  }
  if (video) {
    const bytes = Math.min(VIDEO_BYTES, RULES[platform].files.video?.max_bytes ?? VIDEO_BYTES);
    const url = () => `${lab.stack.sandbox_url}/_media/clip.mp4?bytes=${bytes}`;
    await measure(`a video of ${Math.floor(bytes / MB)} MB`, 'video', 1, url, 1);
  }
  return values;
}

/** Returns the peak memory of a new environment that delivers these posts. */
async function peakOf(lab: Lab, platform: PlatformId, load: Load): Promise<Measure | string> {
  return withPublisher(lab, platform, async publisher => {
    for (let round = 0; round < load.n; round += 1) await deliver(lab, publisher, platform, load);
    const mib = publisher.peakMib();
    return mib === null ? 'unknown' : less(mib, 'MiB');
  });
}
