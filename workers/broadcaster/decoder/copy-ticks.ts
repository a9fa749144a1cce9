import { copiedTickParts, MAX_PICTURE_BYTES } from '../copied-tick.ts';
import {
  SAMPLE_RATE,
  samplesPerTick,
  soundBytes,
  type CopiedPictures,
  type PictureFormat,
} from '../format.ts';
import { ItemError } from '../item-error.ts';
import type { MediaFile } from './media-file.ts';
import { packetReader } from './packet-reader.ts';
import { readPicture, type StoredPicture } from './stored-picture.ts';
import { createPictureOrder } from './picture-order.ts';
import { createSoundTrack } from './sound-track.ts';

/** What may be decoded ahead of the output, for files whose pictures and sound lie far apart. */
const MAX_SAMPLES = 10 * SAMPLE_RATE;

type Write = (bytes: Buffer) => Promise<void>;

/**
 * Plays a file without decoding its pictures: passes on one tick after the other until the pictures have ended. Throws
 * ItemError where the file is not what the survey found.
 */
export async function copyTicks(
  file: MediaFile,
  format: PictureFormat,
  copied: CopiedPictures,
  write: Write,
): Promise<void> {
  if (file.video.codecpar.extradata?.toString('base64') !== copied.config)
    throw new ItemError('CHANGED', 'The decoder configuration is not that of the other items');
  const sound = file.sound && (await createSoundTrack(file.sound, file.start_s));
  const order = createPictureOrder(format.fps);
  const read = packetReader(file);
  const samples = samplesPerTick(format);
  const silence = Buffer.alloc(soundBytes(format));
  const pictures: (StoredPicture & { offset: number; data: Buffer })[] = [];
  /** Samples before the first picture, which are not played. */
  let lead: number | null = null;
  let hasEnded = false;

  async function readNext(): Promise<void> {
    const packet = await read();
    if (packet?.streamIndex === file.video.index) {
      const picture = readPicture(packet, file.video);
      const offset = order.add(picture.time_s, picture.is_key);
      lead ??= Math.max(0, Math.round(((picture.time_s ?? 0) - file.start_s) * SAMPLE_RATE));
      pictures.push({ ...picture, offset, data: dataOf(packet.data, offset, copied) });
    } else if (packet?.streamIndex === file.sound?.index) sound?.feed(packet);
    if (packet) return;
    sound?.feed(null);
    hasEnded = true;
  }

  function needsMore(): boolean {
    if (hasEnded || pictures.length === 0) return !hasEnded;
    const missing = samples + (lead ?? 0) - (sound?.available() ?? Infinity);
    return missing > 0 && (sound?.held() ?? 0) < MAX_SAMPLES;
  }

  for (;;) {
    while (needsMore()) await readNext();
    const picture = pictures.shift();
    if (!picture) return;
    if (lead) sound?.take(lead);
    lead = 0;
    const parts = copiedTickParts({
      picture: picture.data,
      offset: picture.offset,
      is_key: picture.is_key,
      sound: sound?.take(samples) ?? silence,
    });
    for (const part of parts) await write(part);
  }
}

/** Returns the bytes of a picture, which FFmpeg reuses. Throws ItemError where the stream cannot take it. */
function dataOf(data: Buffer | null, offset: number, { delay }: CopiedPictures): Buffer {
  if (!data || data.length > MAX_PICTURE_BYTES)
    throw new ItemError('CHANGED', 'A picture is empty or too large');
  if (offset < -delay) throw new ItemError('CHANGED', 'A picture is decoded later than the survey found');
  return Buffer.from(data);
}
