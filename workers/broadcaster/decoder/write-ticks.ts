import { HOUR, SECOND } from '../../../shared/time/instant.ts';
import { blackPicture, SAMPLE_RATE, samplesPerTick, soundBytes, type PictureFormat } from '../format.ts';
import type { MediaFile } from './media-file.ts';
import { packetReader } from './packet-reader.ts';
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
