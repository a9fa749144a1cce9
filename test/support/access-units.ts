import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dictionary, FormatContext, Packet } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';

/** An encoded picture. Times in milliseconds. */
export interface AccessUnit {
  dts: number;
  pts: number;
  is_key: boolean;
  /** Of its bytes. */
  hash: string;
}

/** Returns the encoded pictures of a file, in the order of decoding. */
export async function readAccessUnits(path: string): Promise<AccessUnit[]> {
  const format = new FormatContext();
  const options = Dictionary.fromObject({ fflags: '+noparse+nofillin' });
  if ((await format.openInput(path, null, options)) < 0) throw new Error(`${path} cannot be opened`);
  await format.findStreamInfo(null);
  const units: AccessUnit[] = [];
  const packet = new Packet();
  packet.alloc();
  while ((await format.readFrame(packet)) >= 0) {
    const { codecpar, timeBase } = format.streams[packet.streamIndex]!;
    const toMs = (time: bigint) => (Number(time) * 1000 * timeBase.num) / timeBase.den;
    if (codecpar.codecType === AVMEDIA_TYPE_VIDEO)
      units.push({
        dts: toMs(packet.dts),
        pts: toMs(packet.pts),
        is_key: packet.isKeyframe,
        hash: createHash('sha256').update(packet.data!).digest('hex'),
      });
    packet.unref();
  }
  await format.closeInput();
  return units;
}

/** Returns those of a file of a host. */
export async function fetchAccessUnits(url: string): Promise<AccessUnit[]> {
  const folder = mkdtempSync(join(tmpdir(), 'units-'));
  try {
    const path = join(folder, 'file');
    writeFileSync(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
    return await readAccessUnits(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
