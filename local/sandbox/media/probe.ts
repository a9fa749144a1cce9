import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { ALL_FORMATS, BufferSource, Input, type InputVideoTrack } from 'mediabunny';
import type { SandboxMedia, StoredMedia } from '../../../shared/platforms/contract/sandbox.ts';

/** Determines what a file is from its bytes alone. Unknown facts are left out. */
export async function probe(bytes: Uint8Array): Promise<StoredMedia> {
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? 'application/octet-stream';
  const facts = { sha256: createHash('sha256').update(bytes).digest('hex'), type, size: bytes.byteLength };
  if (type.startsWith('image/')) return { ...facts, ...imageFacts(bytes) };
  if (/^(video|audio)\//.test(type)) return { ...facts, ...(await clipFacts(bytes)) };
  return facts;
}

/** Width and height after applying the EXIF orientation. */
function imageFacts(bytes: Uint8Array): { width?: number; height?: number } {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return {};
  }
}

type ClipFacts = Pick<
  SandboxMedia,
  'width' | 'height' | 'duration' | 'video_codec' | 'audio_codec' | 'frame_rate'
>;

async function clipFacts(bytes: Uint8Array): Promise<ClipFacts> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  try {
    const video = await input.getPrimaryVideoTrack();
    const audioCodec = (await (await input.getPrimaryAudioTrack())?.getCodec()) ?? null;
    if (!video && audioCodec === null) return {};
    return {
      ...(video && (await videoFacts(video))),
      ...(audioCodec && { audio_codec: audioCodec }),
      duration: await input.computeDuration(),
    };
  } catch {
    return {};
  } finally {
    input.dispose();
  }
}

/** Packets that determine the frame rate. */
const FRAME_SAMPLE = 120;

async function videoFacts(video: InputVideoTrack): Promise<ClipFacts> {
  const codec = await video.getCodec();
  const { averagePacketRate } = await video.computePacketStats(FRAME_SAMPLE);
  return {
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    ...(codec && { video_codec: codec }),
    frame_rate: averagePacketRate,
  };
}
