import type { JsonObject } from '../../shared/model/json.ts';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { FACEBOOK_APP } from '../../shared/platforms/instagram/sandbox/state.ts';
import { GB, MB } from '../../shared/platforms/kit/sizes.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import type { Bench, Results } from './bench.ts';
import type { OtherWay } from './large-files/account.ts';
import { measureUpload } from './large-files/measure.ts';
import { less } from './value.ts';

const KILL_EVERY = 100 * MB;
const MAX_BYTES = 5 * GB;
const SHORT_S = 12;

interface Case {
  name: string;
  platform: PlatformId;
  /** Bytes; default: the most that the rules allow, up to 5 GiB. */
  size?: number;
  /** Shortest playing time. */
  seconds?: number;
  way?: OtherWay;
  /** What is changed of the sandbox's app before. */
  change?: JsonObject;
}

const SPECIAL: readonly Case[] = [
  { name: 'instagram by URL', platform: 'instagram' },
  { name: 'instagram in one request', platform: 'instagram', way: { id: 'facebook', app: FACEBOOK_APP } },
  // At most 100 megabits a second.
  { name: 'threads', platform: 'threads', seconds: 90 },
  { name: 'youtube', platform: 'youtube', size: 2 * GB },
  { name: 'x', platform: 'x', size: 512 * MB },
  // LinkedIn accepts 500 MB from some apps, 5 GB from others.
  { name: 'linkedin', platform: 'linkedin', change: { max_video_bytes: 5 * GB } },
];

function casesOf(platform: PlatformId): readonly Case[] {
  const special = SPECIAL.filter(each => each.platform === platform);
  return special.length > 0 ? special : [{ name: platform, platform }];
}

/** Publishes a large video to each platform. Throws unless exactly one post is live, with the right file. */
export const largeFiles: Bench = {
  name: 'large-files',
  summary: 'memory for large videos, and kills after every 100 MB (--platform <id>, --size <MB>)',
  isOptional: true,
  run: async ({ platform, size }) => {
    const platforms = PLATFORM_IDS.filter(id => RULES[id].files.video && (platform ?? id) === id);
    if (platforms.length === 0) throw new Error(`${platform} does not take videos`);
    const results: Results[] = [];
    for (const each of platforms.flatMap(casesOf)) {
      results.push(await upload(each, size === undefined ? null : size * MB));
    }
    return results;
  },
};

async function upload(
  { name, platform, size, seconds = SHORT_S, way, change }: Case,
  wanted: number | null,
): Promise<Results> {
  const bytes = Math.min(wanted ?? size ?? MAX_BYTES, RULES[platform].files.video?.max_bytes ?? MAX_BYTES);
  const begun = Date.now();
  const { kills, peak_mib, live, isRight } = await measureUpload({
    platform,
    bytes,
    seconds,
    killEvery: KILL_EVERY,
    way: way ?? null,
    change: change ?? null,
  });
  if (live !== 1 || !isRight) throw new Error(`${name} has not exactly one post with the video`);
  return {
    title: `A large video on ${name}`,
    values: {
      size: `${Math.round(bytes / MB)} MB`,
      'killed processes': String(kills),
      'peak memory of a process': peak_mib === null ? 'unknown' : less(peak_mib, 'MiB'),
      time: less((Date.now() - begun) / 1000, 's'),
    },
  };
}
