import { FFmpegError, type CodecContext } from 'node-av/lib';

export interface PacketEncoder {
  context: CodecContext;
  /** Passes on what the encoder still holds. */
  finish: () => Promise<void>;
  free: () => void;
}

/** Throws unless the result of FFmpeg is a success. Encoding never depends on user files: an error ends the broadcast. */
export function done(code: number, action: string): void {
  if (code < 0) throw new Error(`${action} failed: ${FFmpegError.strerror(code)}`);
}
