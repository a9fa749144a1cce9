import * as v from 'valibot';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { platformPosts } from '../../shared/posts/drafts.ts';
import { readPost } from '../../shared/posts/input/read.ts';
import { candidateErrors } from '../../shared/posts/validate/candidate.ts';
import type { Bench } from './bench.ts';
import { less, type Measure } from './value.ts';

const WARM = 50;
const SAMPLE = 100;

/** IP addresses instead of names, since DNS lookups would be waiting, not work. */
const IMAGES = Array.from({ length: 10 }, (_, index) => `https://93.184.216.34/${index}.jpg`);

const SENTENCE = 'See https://example.com/a/long/path?with=query and @someone about #hashtags, 字 and 👨‍👩‍👧‍👦. ';

/** A very large post: all twelve platforms, ten images, 60,000 characters. */
const BODY = {
  post_type: 'image',
  profile_name: 'Demo',
  platforms: [...PLATFORM_IDS],
  media_urls: IMAGES,
  description: SENTENCE.repeat(Math.ceil(60_000 / SENTENCE.length)).slice(0, 60_000),
  tiktok_privacy_level: 'SELF_ONLY',
  pinterest_board_id: '1',
};

/** CPU time of parsing and validating a large post. */
export const validation: Bench = {
  name: 'validation',
  summary: 'CPU time of validating a large post',
  run: async () => [
    {
      title: 'A post to 12 platforms with 10 images and 60,000 characters',
      values: {
        'refused because of its length': await cpu(BODY),
        'truncated (auto_truncate)': await cpu({ ...BODY, auto_truncate: true }),
      },
    },
  ],
};

/** Returns the CPU time of one run. */
async function cpu(body: object): Promise<Measure> {
  const text = JSON.stringify(body);
  const once = async () => {
    const { candidate } = await readPost(
      v.parse(v.record(v.string(), v.unknown()), JSON.parse(text)),
      [],
      Date.now(),
    );
    return candidateErrors(candidate, platformPosts(candidate, []));
  };
  for (let run = 0; run < WARM; run += 1) await once();
  const started = process.cpuUsage();
  for (let run = 0; run < SAMPLE; run += 1) await once();
  const { user, system } = process.cpuUsage(started);
  return less((user + system) / 1000 / SAMPLE, 'ms of CPU', 1);
}
