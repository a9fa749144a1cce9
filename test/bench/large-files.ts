import type { JsonObject } from '../../shared/model/json.ts';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { FACEBOOK_APP } from '../../shared/platforms/instagram/sandbox/state.ts';
import { GB, MB } from '../../shared/platforms/kit/sizes.ts';
import { RULES } from '../../shared/platforms/registry.ts';
import { report, type Bench } from './bench.ts';
import type { OtherWay } from './large-files/account.ts';
import { measureUpload } from './large-files/measure.ts';

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

/** Publishes a large video to each platform. Fails unless exactly one post is live, with the right file. */
export const largeFiles: Bench = {
  name: 'large-files',
  summary: 'memory for large videos, and kills after every 100 MB (--platform <id>, --size <MB>)',
  run: async ({ platform, size }) => {
    const platforms = PLATFORM_IDS.filter(id => RULES[id].files.video && (platform ?? id) === id);
    if (platforms.length === 0) throw new Error(`${platform} does not take videos`);
    for (const each of platforms.flatMap(casesOf)) await run(each, size === undefined ? null : size * MB);
  },
};

async function run(
  { name, platform, size, seconds = SHORT_S, way, change }: Case,
  wanted: number | null,
): Promise<void> {
  const bytes = Math.min(wanted ?? size ?? MAX_BYTES, RULES[platform].files.video?.max_bytes ?? MAX_BYTES);
  const begun = Date.now();
  const upload = {
    platform,
    bytes,
    seconds,
    killEvery: KILL_EVERY,
    way: way ?? null,
    change: change ?? null,
  };
  const { kills, peak_mib, live, isRight } = await measureUpload(upload);
  report(`A large video on ${name}`, {
    size: `${Math.round(bytes / MB)} MB`,
    'killed processes': String(kills),
    'peak memory of a process': peak_mib === null ? 'unknown' : `${peak_mib} MiB`,
    'live posts': String(live),
    'SHA-256 of the file': isRight ? 'right' : 'wrong',
    time: `${Math.round((Date.now() - begun) / 1000)} s`,
  });
  if (live !== 1 || !isRight) throw new Error(`${name} has not exactly one post with the video`);
}
