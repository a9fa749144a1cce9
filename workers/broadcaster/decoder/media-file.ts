import { Dictionary, FormatContext, IOContext, type Stream } from 'node-av/lib';
import {
  AVDISCARD_ALL,
  AVERROR_EIO,
  AVFMT_TS_DISCONT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_CUR,
  AVSEEK_END,
  AVSEEK_SIZE,
  AV_DISPOSITION_ATTACHED_PIC,
  AV_NOPTS_VALUE,
} from 'node-av/constants';
import { ItemError } from '../item-error.ts';
import type { ByteSource } from './byte-source.ts';
import { assertDone } from './native.ts';
import { MAX_PIXELS } from './open-decoder.ts';

/** An opened media file. */
export interface MediaFile {
  format: FormatContext;
  video: Stream;
  sound: Stream | null;
  /** Timestamp of its beginning. */
  start_s: number;
  /** As the container says; null where it does not. */
  duration_s: number | null;
  /** A picture, which has no duration of its own. */
  is_still: boolean;
  /** MP4 or MOV. */
  is_mp4: boolean;
  /** The format allows timestamps to jump, as in joined transport streams. */
  may_jump: boolean;
  /** Frees everything, for a process that does not end with its file. */
  close: () => void;
}

/** No formats that refer to other files, such as HLS and DASH. */
const FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,mpegts,mpeg,asf,ogg,gif,jpeg_pipe,png_pipe,webp_pipe,bmp_pipe';

const OPTIONS = {
  format_whitelist: FORMATS,
  // FFmpeg itself opens nothing: it would reach private addresses and local files.
  protocol_whitelist: 'none',
  probesize: '5000000',
  analyzeduration: '5000000',
  max_streams: '64',
};

/** Packets as the container has them: a parser would guess at key frames, from data that a survey does not read. */
const AS_STORED = { ...OPTIONS, fflags: '+noparse+nofillin' };

const BUFFER_BYTES = 64 * 1024;
const FORCE = 0x20000;
const NOT_SUPPORTED = -38n;
const NOT_SEEKABLE = -29n;
const MICROSECONDS = 1_000_000;

/** Opens the file and selects its best streams. `isDecoded`: its pictures will be. Throws ItemError. */
export async function openMediaFile(source: ByteSource, isDecoded = true): Promise<MediaFile> {
  const options = Dictionary.fromObject(isDecoded ? OPTIONS : AS_STORED);
  const format = new FormatContext();
  format.allocContext();
  const io = createIo(source);
  format.pb = io;
  await ffmpeg(source, 'Opening the file', () => format.openInput('', null, options));
  // Pictures of an enormous size fail here, before one of them is decoded.
  format.streams.forEach(assertSize);
  await ffmpeg(source, 'Reading the streams', () => format.findStreamInfo(null));
  const video = bestStream(format, AVMEDIA_TYPE_VIDEO);
  if (!video) throw new ItemError('NO_VIDEO', 'The file has no picture');
  assertSize(video);
  const sound = bestStream(format, AVMEDIA_TYPE_AUDIO);
  for (const stream of format.streams) {
    if (stream.index !== video.index && stream.index !== sound?.index) stream.discard = AVDISCARD_ALL;
  }
  return {
    format,
    video,
    sound,
    start_s: format.startTime === AV_NOPTS_VALUE ? 0 : Number(format.startTime) / MICROSECONDS,
    duration_s: format.duration > 0n ? Number(format.duration) / MICROSECONDS : null,
    is_still:
      format.iformat?.name?.endsWith('_pipe') === true || video.hasDisposition(AV_DISPOSITION_ATTACHED_PIC),
    is_mp4: format.iformat?.name?.startsWith('mov,mp4') === true,
    may_jump: ((format.iformat?.flags ?? 0) & AVFMT_TS_DISCONT) !== 0,
    close: () => {
      // In this order: freeing the input with its I/O context frees that one too.
      format.pb = null;
      format.freeContext();
      io.freeContext();
    },
  };
}

function createIo(source: ByteSource): IOContext {
  const io = new IOContext();
  // A failed read is an error code here; `source.failure()` says what it was.
  const read = (length: number) => source.read(length).catch(() => AVERROR_EIO);
  const seek = (offset: bigint, whence: number) => seekIn(source, Number(offset), whence & ~FORCE);
  io.allocContextWithCallbacks(BUFFER_BYTES, 0, read, null, source.canSeek ? seek : sizeOnly(source));
  return io;
}

function seekIn(source: ByteSource, offset: number, whence: number): bigint {
  const size = source.size ?? 0;
  if (whence === AVSEEK_SIZE) return BigInt(size);
  const base = whence === AVSEEK_CUR ? source.position() : whence === AVSEEK_END ? size : 0;
  source.seek(base + offset);
  return BigInt(base + offset);
}

const sizeOnly = (source: ByteSource) => (_: bigint, whence: number) => {
  if ((whence & ~FORCE) !== AVSEEK_SIZE) return NOT_SEEKABLE;
  return source.size === null ? NOT_SUPPORTED : BigInt(source.size);
};

function bestStream(format: FormatContext, type: typeof AVMEDIA_TYPE_VIDEO): Stream | null {
  return format.streams[format.findBestStream(type)] ?? null;
}

function assertSize({ codecpar: { width, height } }: Stream): void {
  if (width * height <= MAX_PIXELS) return;
  throw new ItemError(
    'TOO_LARGE',
    `The picture has ${width} x ${height} pixels, at most ${MAX_PIXELS} in all`,
  );
}

/** Runs an operation that reads. Throws ItemError: the source's own where reading failed. */
async function ffmpeg(source: ByteSource, action: string, run: () => Promise<number>): Promise<void> {
  const code = await run();
  const failure = source.failure();
  if (failure && code < 0) throw failure;
  assertDone(code, action);
}
