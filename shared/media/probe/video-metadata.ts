import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM, type InputVideoTrack } from 'mediabunny';
import type { MediaFacts } from '../../model/media.ts';
import { HttpFailure } from '../../net/http.ts';
import { BudgetExceeded } from './budget.ts';
import type { FileAccess } from './file-access.ts';

type VideoMetadata = Pick<
  MediaFacts,
  | 'width'
  | 'height'
  | 'duration'
  | 'video_tracks'
  | 'audio_tracks'
  | 'frame_rate'
  | 'video_codec'
  | 'audio_codec'
>;

/** Frames from which the average frame rate is computed. */
const SAMPLED_FRAMES = 30;

/**
 * Reads the metadata in a video's index. Returns nothing for containers that the parser does not support (AVI, WMV,
 * FLV), and only what was read before it failed for a video that it does not understand. Throws HttpFailure.
 */
export async function videoMetadata(file: FileAccess): Promise<Partial<VideoMetadata>> {
  const { size } = file;
  if (size === null) return {};
  const source = withAccessLimit(
    new CustomSource({ getSize: () => size, read: (start, end) => readExactly(file, start, end) }),
  );
  using input = new Input({ formats: [MP4, QTFF, WEBM, MATROSKA], source });
  const found: Partial<VideoMetadata> = {};
  // One value after the other, so that those read before a failure are kept.
  try {
    found.video_tracks = (await input.getVideoTracks()).length;
    found.audio_tracks = (await input.getAudioTracks()).length;
    const video = await input.getPrimaryVideoTrack();
    if (video) Object.assign(found, await videoTrackMetadata(video));
    const audio = await input.getPrimaryAudioTrack();
    if (audio) found.audio_codec = codecName(await audio.getCodec(), await audio.getInternalCodecId());
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    if (seconds > 0) found.duration = seconds;
    if (video) found.frame_rate = await averageFrameRate(video);
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
  }
  return found;
}

/** A valid file of any length takes a few thousand. */
const MAX_ACCESSES = 100_000;

/**
 * Counts every access to the file, cached or not. On some damaged files the parser searches its own cache forever; only
 * an error that the file throws ends that.
 */
function withAccessLimit<S extends object>(source: S): S {
  let accesses = 0;
  return new Proxy(source, {
    get: (target, name, receiver): unknown => {
      accesses += 1;
      if (accesses <= MAX_ACCESSES) return Reflect.get(target, name, receiver);
      // The parser must still be able to release the source.
      accesses = 0;
      throw new BudgetExceeded(`More than ${MAX_ACCESSES} accesses`);
    },
  });
}

async function readExactly(file: FileAccess, start: number, end: number): Promise<Uint8Array> {
  const bytes = await file.read(start, end);
  if (bytes.byteLength !== end - start) throw new Error('The file is shorter than its index says');
  return bytes;
}

async function videoTrackMetadata(track: InputVideoTrack): Promise<Partial<VideoMetadata>> {
  return {
    video_codec: codecName(await track.getCodec(), await track.getInternalCodecId()),
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
  };
}

async function averageFrameRate(track: InputVideoTrack): Promise<number | null> {
  const { averagePacketRate, packetCount } = await track.computePacketStats(SAMPLED_FRAMES, {
    metadataOnly: true,
  });
  return packetCount > 1 ? Math.round(averagePacketRate * 100) / 100 : null;
}

const codecName = (codec: string | null, internal: unknown) =>
  codec ?? (typeof internal === 'string' ? internal : null);
