import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM, type InputVideoTrack } from 'mediabunny';
import type { MediaFacts } from '../model/media.ts';
import { HttpFailure } from '../net/http.ts';
import type { FileAccess } from './access.ts';

type ClipFacts = Pick<
  MediaFacts,
  'width' | 'height' | 'duration' | 'frame_rate' | 'video_codec' | 'audio_codec'
>;

/** Frames that are looked at to tell how many come in a second. */
const FRAMES = 30;

/**
 * What the index of a clip says: nothing for containers that cannot be read in parts (AVI, WMV, FLV), and for clips
 * that the parser does not understand. Throws HttpFailure.
 */
export async function clipFacts(file: FileAccess): Promise<Partial<ClipFacts>> {
  const { size } = file;
  if (size === null) return {};
  const source = new CustomSource({ getSize: () => size, read: (start, end) => exactly(file, start, end) });
  using input = new Input({ formats: [MP4, QTFF, WEBM, MATROSKA], source });
  const found: Partial<ClipFacts> = {};
  // One after the other: what was found before the parser gave up is kept.
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track) Object.assign(found, await pictureOf(track));
    const sound = await input.getPrimaryAudioTrack();
    if (sound) found.audio_codec = named(await sound.getCodec(), await sound.getInternalCodecId());
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    if (seconds > 0) found.duration = seconds;
    if (track) found.frame_rate = await rateOf(track);
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
  }
  return found;
}

async function exactly(file: FileAccess, start: number, end: number): Promise<Uint8Array> {
  const bytes = await file.read(start, end);
  if (bytes.byteLength !== end - start) throw new Error('The file is shorter than it says');
  return bytes;
}

async function pictureOf(track: InputVideoTrack): Promise<Partial<ClipFacts>> {
  return {
    video_codec: named(await track.getCodec(), await track.getInternalCodecId()),
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
  };
}

async function rateOf(track: InputVideoTrack): Promise<number | null> {
  const { averagePacketRate, packetCount } = await track.computePacketStats(FRAMES, { metadataOnly: true });
  return packetCount > 1 ? Math.round(averagePacketRate * 100) / 100 : null;
}

const named = (codec: string | null, internal: unknown) =>
  codec ?? (typeof internal === 'string' ? internal : null);
