import type { JsonObject } from '../../../shared/model/json.ts';
import type { PlatformId } from '../../../shared/model/platform.ts';
import type { PublishJob } from '../../../shared/platforms/contract/publisher.ts';
import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';
import { demoPost, type OtherWay } from './account.ts';
import { startHosts } from './hosts.ts';
import { publishWithKills } from './upload.ts';
import { largeVideo } from './video.ts';

/** A large video on a platform. */
export interface LargeUpload {
  platform: PlatformId;
  bytes: number;
  /** Shortest playing time. */
  seconds: number;
  /** Bytes after which the publisher is killed, again and again. */
  killEvery: number;
  way: OtherWay | null;
  /** What is changed of the sandbox's app before. */
  change: JsonObject | null;
}

export interface Measurement {
  kills: number;
  /** Of the process that needed most; null where the system does not tell. */
  peak_mib: number | null;
  live: number;
  /** The platform has exactly this video, and shows the texts of the post. */
  isRight: boolean;
}

/** Publishes a generated video to the sandbox of a platform with a publisher that is killed again and again. */
export async function measureUpload(upload: LargeUpload): Promise<Measurement> {
  const video = await largeVideo(upload.bytes, upload.seconds);
  const hosts = await startHosts(upload.platform, video);
  try {
    const { sandbox, bucket_url } = hosts;
    if (upload.change) sandbox.platform.change?.('app', upload.change);
    const demo = await demoPost(sandbox, upload.platform, `${bucket_url}/media/video.mp4`, upload.way);
    const task = { ...demo, sandbox_url: sandbox.url, bucket_url };
    const { kills, peak_mib } = await publishWithKills(hosts, task, upload.killEvery);
    const live = sandbox.posts();
    const received = live.flatMap(({ media }) => media.map(({ sha256 }) => sha256));
    const isRight = received.includes(video.sha256()) && live.every(shown => hasTextsOf(demo.job, shown));
    return { kills, peak_mib, live: live.length, isRight };
  } finally {
    await hosts.close();
  }
}

/** Whether a platform shows a text of the post, and no other. */
function hasTextsOf({ text, title }: PublishJob, shown: SandboxPost): boolean {
  const texts = [shown.text, shown.title].filter(each => each !== null && each !== '');
  return texts.length > 0 && texts.every(each => each === text || each === title);
}
