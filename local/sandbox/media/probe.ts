import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type';
import { imageSize } from 'image-size';
import {
  ALL_FORMATS,
  BufferSource,
  FilePathSource,
  Input,
  type InputVideoTrack,
  type Source,
} from 'mediabunny';
import type { SandboxMedia, StoredMedia } from '../../../shared/platforms/contract/sandbox.ts';

/** Determines what a file is from its bytes alone. Unknown facts are left out. */
export async function probe(bytes: Uint8Array): Promise<StoredMedia> {
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? UNKNOWN_TYPE;
  const facts = { sha256: createHash('sha256').update(bytes).digest('hex'), type, size: bytes.byteLength };
  if (type.startsWith('image/')) return { ...facts, ...imageFacts(bytes) };
  if (CLIP_TYPE.test(type)) return { ...facts, ...(await clipFacts(new BufferSource(bytes))) };
  return facts;
}

/** Determines what a file on disk is, without reading a large one into memory. */
export async function probeFile(path: string): Promise<StoredMedia> {
  const type = (await fileTypeFromFile(path))?.mime ?? UNKNOWN_TYPE;
  if (!CLIP_TYPE.test(type)) return probe(await readFile(path));
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const { size } = await stat(path);
  return { sha256: hash.digest('hex'), type, size, ...(await clipFacts(new FilePathSource(path))) };
}

const UNKNOWN_TYPE = 'application/octet-stream';
const CLIP_TYPE = /^(video|audio)\//;

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

async function clipFacts(source: Source): Promise<ClipFacts> {
  const input = new Input({ formats: ALL_FORMATS, source });
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
