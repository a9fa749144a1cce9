import { Packet } from 'node-av/lib';
import { AV_NOPTS_VALUE } from 'node-av/constants';
import { HOUR, SECOND } from '../../../shared/time/instant.ts';
import { blackPicture, SAMPLE_RATE, samplesPerTick, soundBytes, type PictureFormat } from '../format.ts';
import type { MediaFile } from './media-file.ts';
import { seconds } from './native.ts';
import { createPictureTrack } from './picture-track.ts';
import { createSoundTrack } from './sound-track.ts';

/** What may be decoded ahead of the output, for files whose pictures and sound lie far apart. */
const MAX_PICTURES = 60;
const MAX_SAMPLES = 10 * SAMPLE_RATE;
/** How long a picture without a duration is shown. */
const STILL_S = 5;
/** Timestamps may claim years. */
const LONGEST_S = (6 * HOUR) / SECOND;
const BEYOND_DURATION_S = 10;
/** A larger step between timestamps is where two streams were joined. */
const JUMP_S = 10;

type Write = (picture: Buffer, sound: Buffer) => Promise<void>;

/** Plays a file: passes on one tick after the other until pictures and sound have ended. Throws ItemError. */
export async function writeTicks(file: MediaFile, format: PictureFormat, write: Write): Promise<void> {
  const pictures = await createPictureTrack(file, format);
  const sound = file.sound && (await createSoundTrack(file.sound, file.start_s));
  const read = packetReader(file);
  const samples = samplesPerTick(format);
  const black = blackPicture(format);
  const silence = Buffer.alloc(soundBytes(format));
  const limit = format.fps * (file.duration_s === null ? LONGEST_S : file.duration_s + BEYOND_DURATION_S);
  const stillTicks = file.is_still ? STILL_S * format.fps : 0;
  let hasEnded = false;

  async function readNext(): Promise<void> {
    const packet = await read();
    if (packet?.streamIndex === file.video.index) pictures.feed(packet);
    else if (packet?.streamIndex === file.sound?.index) sound?.feed(packet);
    if (packet) return;
    pictures.feed(null);
    sound?.feed(null);
    hasEnded = true;
  }

  function needsMore(tick: number): boolean {
    const isFull = pictures.held() >= MAX_PICTURES || (sound?.held() ?? 0) >= MAX_SAMPLES;
    const hasSound = !sound || sound.available() >= samples;
    return !hasEnded && !isFull && !(hasSound && pictures.isDecided(tick));
  }

  function isOver(tick: number): boolean {
    const isPlayed = hasEnded && tick > pictures.lastTick() && (sound?.available() ?? 0) < samples;
    return isPlayed && tick >= stillTicks;
  }

  for (let tick = 0; tick < limit; tick += 1) {
    while (needsMore(tick)) await readNext();
    if (isOver(tick)) return;
    await write(pictures.take(tick) ?? black, sound?.take(samples) ?? silence);
  }
}

/** Returns a function that reads the next packet, which it reuses; null at the end or where the file breaks off. */
function packetReader({ format, may_jump }: MediaFile): () => Promise<Packet | null> {
  const packet = new Packet();
  packet.alloc();
  const lastOf = new Map<number, number>();
  let shift_s = 0;

  function joinTimes(): void {
    const stream = format.streams[packet.streamIndex];
    if (!stream) return;
    const time = seconds(packet.dts, stream.timeBase);
    if (time === null) return;
    const last = lastOf.get(packet.streamIndex);
    const step = last === undefined ? 0 : time + shift_s - last;
    if (step < 0 || step > JUMP_S) shift_s -= step;
    lastOf.set(packet.streamIndex, time + shift_s);
    const shift = BigInt(Math.round((shift_s * stream.timeBase.den) / stream.timeBase.num));
    packet.dts += shift;
    if (packet.pts !== AV_NOPTS_VALUE) packet.pts += shift;
  }

  return async () => {
    packet.unref();
    const code = await format.readFrame(packet);
    if (code < 0) return null;
    if (may_jump) joinTimes();
    return packet;
  };
}
