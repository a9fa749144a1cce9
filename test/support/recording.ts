import { Codec, CodecContext, FormatContext, Frame, Packet, type Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import type { YuvColor } from './clip.ts';

/** A recorded stream, decoded. Times in milliseconds. */
export interface Recording {
  pictures: { time: number; color: YuvColor }[];
  /** The loudest sample (0 to 1) of each packet, about 21 ms. */
  sound: { time: number; level: number }[];
  /** The largest step between two packets of each kind, and whether a step goes back. */
  largest_step: { video: number; sound: number };
  goes_back: boolean;
}

/** Decodes a recorded FLV file. */
export async function readRecording(path: string): Promise<Recording> {
  const format = new FormatContext();
  if ((await format.openInput(path)) < 0) throw new Error(`${path} cannot be opened`);
  await format.findStreamInfo(null);
  const decoders = format.streams.map(openDecoder);
  const recording: Recording = {
    pictures: [],
    sound: [],
    largest_step: { video: 0, sound: 0 },
    goes_back: false,
  };
  const last = new Map<number, number>();
  const packet = new Packet();
  packet.alloc();
  while ((await format.readFrame(packet)) >= 0) {
    const stream = format.streams[packet.streamIndex]!;
    const kind = isVideo(stream) ? 'video' : 'sound';
    const time = toMs(packet.dts, stream);
    const step = time - (last.get(packet.streamIndex) ?? time);
    last.set(packet.streamIndex, time);
    recording.largest_step[kind] = Math.max(recording.largest_step[kind], step);
    recording.goes_back ||= step < 0;
    receive(recording, decoders[packet.streamIndex]!, packet, stream);
    packet.unref();
  }
  format.streams.forEach((stream, index) => receive(recording, decoders[index]!, null, stream));
  await format.closeInput();
  return recording;
}

const isVideo = ({ codecpar }: Stream) => codecpar.codecType === AVMEDIA_TYPE_VIDEO;

const toMs = (timestamp: bigint, { timeBase }: Stream) =>
  (Number(timestamp) * 1000 * timeBase.num) / timeBase.den;

function openDecoder(stream: Stream): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId)!;
  const context = new CodecContext();
  context.allocContext3(codec);
  context.parametersToContext(stream.codecpar);
  context.pktTimebase = stream.timeBase;
  context.open2Sync(codec, null);
  return context;
}

function receive(recording: Recording, decoder: CodecContext, packet: Packet | null, stream: Stream): void {
  decoder.sendPacketSync(packet);
  const frame = new Frame();
  frame.alloc();
  while (decoder.receiveFrameSync(frame) >= 0) {
    const time = toMs(frame.bestEffortTimestamp, stream);
    if (isVideo(stream)) recording.pictures.push({ time, color: meanColor(frame) });
    else recording.sound.push({ time, level: levelOf(frame) });
    frame.unref();
  }
  frame.free();
}

/** The mean of the middle of the picture: bars at the sides do not count. */
function meanColor(frame: Frame): YuvColor {
  const { width, height } = frame;
  const bytes = frame.toBuffer();
  const luma = width * height;
  const middle = (offset: number, w: number, h: number) => {
    let sum = 0;
    for (let row = h / 4; row < (h * 3) / 4; row += 1)
      for (let column = (w * 7) / 16; column < (w * 9) / 16; column += 1)
        sum += bytes[offset + Math.floor(row) * w + Math.floor(column)]!;
    return Math.round(sum / (Math.ceil(h / 2) * Math.ceil(w / 8)));
  };
  return [
    middle(0, width, height),
    middle(luma, width / 2, height / 2),
    middle(luma + luma / 4, width / 2, height / 2),
  ];
}

function levelOf(frame: Frame): number {
  const plane = frame.data![0]!;
  const samples = new Float32Array(plane.buffer, plane.byteOffset, frame.nbSamples);
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}
