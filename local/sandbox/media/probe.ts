import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import type { SandboxMedia } from '../../../shared/platforms/contract/sandbox.ts';

export type Probed = SandboxMedia & { sha256: string; size: number };

/** What bytes are, told from them alone. What cannot be told is left out. */
export async function probe(bytes: Uint8Array): Promise<Probed> {
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? 'application/octet-stream';
  const facts = { sha256: createHash('sha256').update(bytes).digest('hex'), type, size: bytes.byteLength };
  if (type.startsWith('image/')) return { ...facts, ...imageFacts(bytes) };
  if (/^(video|audio)\//.test(type)) return { ...facts, ...(await clipFacts(bytes)) };
  return facts;
}

/** Width and height as a viewer sees them: after the orientation that a camera noted. */
function imageFacts(bytes: Uint8Array): { width?: number; height?: number } {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return {};
  }
}

async function clipFacts(bytes: Uint8Array): Promise<{ width?: number; height?: number; duration?: number }> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  try {
    const track = await input.getPrimaryVideoTrack();
    const size = track
      ? { width: await track.getDisplayWidth(), height: await track.getDisplayHeight() }
      : {};
    return { ...size, duration: await input.computeDuration() };
  } catch {
    return {};
  } finally {
    input.dispose();
  }
}
