import { blackPicture, pictureBytes, soundBytes, type StreamFormat } from '../format.ts';
import type { FlvTag } from './flv-tags.ts';
import { addEncoded, openMuxer, type MuxerStream } from './muxer.ts';
import { openSoundEncoder } from './sound-encoder.ts';
import type { StreamWriter } from './stream-writer.ts';
import { openVideoEncoder } from './video-encoder.ts';

/**
 * Opens the encoders and the muxer for decoded ticks. Tags go to `onTag`, the metadata and the headers first. Before the
 * first picture, the stream shows a black one.
 */
export async function openEncoder(format: StreamFormat, onTag: (tag: FlvTag) => void): Promise<StreamWriter> {
  const muxer = openMuxer(onTag);
  const video = await openVideoEncoder(format, packet => pictures.write(packet));
  const sound = await openSoundEncoder(packet => samples.write(packet));
  const pictures: MuxerStream = addEncoded(muxer, video);
  const samples: MuxerStream = addEncoded(muxer, sound);
  await muxer.begin();
  const length = pictureBytes(format);
  let last: Buffer = Buffer.concat([blackPicture(format), Buffer.alloc(soundBytes(format))]);
  return {
    write: async (tick, isKey) => {
      last = tick ?? last.fill(0, length);
      await video.encode(last.subarray(0, length), isKey);
      await sound.encode(last.subarray(length));
    },
    finish: async () => {
      await video.finish();
      await sound.finish();
      await muxer.end();
      video.free();
      sound.free();
    },
  };
}
