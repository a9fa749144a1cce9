import * as v from 'valibot';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { checkPost } from '../../shared/posts/check.ts';
import { createPostFields } from '../../shared/posts/input.ts';
import { report, type Bench } from './bench.ts';

const WARM = 50;
const SAMPLE = 100;

/** Addresses in place of names: looking names up is waiting, not work. */
const IMAGES = Array.from({ length: 10 }, (_, index) => `https://93.184.216.34/${index}.jpg`);

const SENTENCE = 'See https://example.com/a/long/path?with=query and @someone about #hashtags, 字 and 👨‍👩‍👧‍👦. ';

/** The largest post that is still taken seriously: all twelve platforms, ten images, 60,000 characters. */
const BODY = {
  post_type: 'image',
  profile_name: 'Demo',
  platforms: [...PLATFORM_IDS],
  media_urls: IMAGES,
  description: SENTENCE.repeat(Math.ceil(60_000 / SENTENCE.length)).slice(0, 60_000),
  tiktok_privacy_level: 'SELF_ONLY',
  pinterest_board_id: '1',
};

/** CPU time that reading and checking a large post takes. */
export const checking: Bench = {
  name: 'checking',
  run: async () => {
    report('Reading and checking a post to 12 platforms with 10 images and 60,000 characters', {
      'refused for its length': await cpu(BODY),
      'to be cut (auto_truncate)': await cpu({ ...BODY, auto_truncate: true }),
    });
  },
};

async function cpu(body: object): Promise<string> {
  const text = JSON.stringify(body);
  const once = () => checkPost(v.parse(v.object(createPostFields), JSON.parse(text)), Date.now());
  for (let run = 0; run < WARM; run += 1) await once();
  const started = process.cpuUsage();
  for (let run = 0; run < SAMPLE; run += 1) await once();
  const { user, system } = process.cpuUsage(started);
  return `${((user + system) / 1000 / SAMPLE).toFixed(1)} ms of CPU`;
}
