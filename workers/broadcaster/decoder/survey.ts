import { AV_PIX_FMT_YUV420P, AVDISCARD_ALL, AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants';
import type { CodecParameters, Rational, Stream } from 'node-av/lib';
import type { PictureFormat } from '../format.ts';
import { ItemError } from '../item-error.ts';
import type { PictureFacts } from '../picture-facts.ts';
import type { ByteSource } from './byte-source.ts';
import { openMediaFile, type MediaFile } from './media-file.ts';
import { packetReader } from './packet-reader.ts';
import { createPictureOrder } from './picture-order.ts';
import { readPicture } from './stored-picture.ts';

/** The window of the peak bit rate: what an ingest may have to buffer. */
const WINDOW_S = 4;

type Order = Pick<
  PictureFacts,
  'pictures' | 'order_problem' | 'delay' | 'key_distance' | 'mean_bit_rate' | 'peak_bit_rate' | 'largest'
>;

/**
 * Returns the facts of a file. Only its index is read: FFmpeg gets zeros for the data of the pictures, which it passes on
 * without a look at them. Throws ItemError.
 */
export async function surveyFile(source: ByteSource, format: PictureFormat): Promise<PictureFacts> {
  const data = withoutData(source);
  const file = await openMediaFile(data.source, false);
  const { codecpar, nbFrames, sampleAspectRatio } = file.video;
  const known = {
    is_mp4: file.is_mp4,
    codec: codecpar.codecTagString,
    config: codecpar.extradata?.toString('base64') ?? '',
    width: codecpar.width,
    height: codecpar.height,
    is_yuv420p: codecpar.format === AV_PIX_FMT_YUV420P,
    is_upright: isUpright(codecpar),
    has_square_pixels: isSquare(codecpar.sampleAspectRatio) && isSquare(sampleAspectRatio),
    declared: Number(nbFrames),
  };
  const sound_s = durationOf(file.sound);
  data.skip();
  if (file.sound) file.sound.discard = AVDISCARD_ALL;
  // In other containers, the index is the data.
  const order = file.is_mp4 ? await readOrder(file, format) : NOTHING_READ;
  file.close();
  return { ...known, ...order, sound_excess_s: sound_s - order.pictures / format.fps };
}

const NOTHING_READ: Order = {
  pictures: 0,
  order_problem: null,
  delay: 0,
  key_distance: 0,
  mean_bit_rate: 0,
  peak_bit_rate: 0,
  largest: 0,
};

async function readOrder(file: MediaFile, { fps }: PictureFormat): Promise<Order> {
  const read = packetReader(file);
  const order = createPictureOrder(fps);
  const sizes = createSizes(fps);
  const found = { ...NOTHING_READ };
  let sinceKey = 0;
  try {
    for (let packet = await read(); packet; packet = await read()) {
      // Sound that was read while the file was opened.
      if (packet.streamIndex !== file.video.index) continue;
      const { time_s, is_key } = readPicture(packet, file.video);
      found.delay = Math.max(found.delay, -order.add(time_s, is_key));
      sinceKey = is_key ? 1 : sinceKey + 1;
      found.key_distance = Math.max(found.key_distance, sinceKey);
      found.pictures += 1;
      sizes.add(packet.size);
    }
    order.end();
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    found.order_problem = error.message;
  }
  return { ...found, ...sizes.figures() };
}

/** Adds up the sizes of pictures, in all and in a window that moves over them. */
function createSizes(fps: number) {
  const recent: number[] = [];
  let total = 0;
  let count = 0;
  let inWindow = 0;
  let peak = 0;
  let largest = 0;
  const rate = (bytes: number, pictures: number) => Math.round((bytes * 8 * fps) / Math.max(1, pictures));
  return {
    add: (bytes: number): void => {
      recent.push(bytes);
      inWindow += bytes - (recent.length > WINDOW_S * fps ? (recent.shift() ?? 0) : 0);
      total += bytes;
      count += 1;
      peak = Math.max(peak, inWindow);
      largest = Math.max(largest, bytes);
    },
    figures: () => ({
      mean_bit_rate: rate(total, count),
      peak_bit_rate: rate(peak, Math.min(count, WINDOW_S * fps)),
      largest,
    }),
  };
}

/** Returns a source that answers zeros once it is told to. */
function withoutData(source: ByteSource): { source: ByteSource; skip: () => void } {
  let isSkipping = false;
  let position = 0;
  const zeros = (length: number): Buffer | null => {
    const count = Math.min(length, (source.size ?? 0) - position);
    position += Math.max(0, count);
    return count > 0 ? Buffer.alloc(count) : null;
  };
  return {
    source: {
      ...source,
      read: length => (isSkipping ? Promise.resolve(zeros(length)) : source.read(length)),
      position: () => (isSkipping ? position : source.position()),
      seek: to => {
        if (isSkipping) position = to;
        else source.seek(to);
      },
    },
    skip: () => {
      isSkipping = true;
      position = source.position();
      source.close();
    },
  };
}

function durationOf(stream: Stream | null): number {
  if (!stream || stream.duration <= 0n) return 0;
  return (Number(stream.duration) * stream.timeBase.num) / stream.timeBase.den;
}

const isSquare = ({ num, den }: Rational) => num <= 0 || den <= 0 || num === den;

/** A display matrix that changes nothing has ones in its diagonal and zeros beside it. */
function isUpright(parameters: Pick<CodecParameters, 'getCodedSideData'>): boolean {
  const matrix = parameters.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  if (!matrix || matrix.length < 36) return true;
  const [a, b, c, d] = [0, 4, 12, 16].map(offset => matrix.readInt32LE(offset));
  return a === d && b === 0 && c === 0 && (a ?? 0) > 0;
}
