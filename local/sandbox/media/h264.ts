import { bitWriter, type BitWriter } from './bits.ts';

/**
 * A picture as macroblocks, row by row: 256 luma samples and two times 64 chroma samples each (4:2:0). A block that is the
 * same object as in the previous picture counts as unchanged.
 */
export interface Picture {
  /** A multiple of 16. */
  width: number;
  /** A multiple of 4; the last row of blocks may extend beyond it. */
  height: number;
  blocks: readonly Uint8Array[];
}

export interface H264Stream {
  /** The decoder configuration record of MP4 (`avcC`). */
  config: Buffer;
  codec: string;
  /** One access unit per picture, as length-prefixed NAL units. The first is a key frame. */
  frames: Buffer[];
}

export const MACROBLOCK = 16;
const PROFILE = { idc: 66, constraints: 0xc0, level: 31 };
const NAL = { slice: 0x41, idr: 0x65, sps: 0x67, pps: 0x68 };
const I_PCM = 25;
/** Intra macroblock types follow the five inter types in a P slice. */
const I_PCM_IN_P = 5 + I_PCM;

/**
 * Encodes pictures of one size as Constrained Baseline H.264 without compression: changed macroblocks are stored as raw
 * samples (I_PCM), all others are skipped. Sufficient for small clips, and needs no encoder.
 */
export function encodeH264(pictures: readonly Picture[]): H264Stream {
  const first = pictures[0];
  if (!first) throw new Error('A clip needs at least one picture');
  const sps = sequenceParameters(first);
  const pps = pictureParameters();
  const frames = pictures.map((picture, index) => {
    const before = pictures[index - 1];
    return withLength(before ? interSlice(picture, before, index) : keySlice(picture));
  });
  return { config: configurationRecord(sps, pps), codec: 'avc1.42c01f', frames };
}

function sequenceParameters(picture: Picture): Buffer {
  const rows = Math.ceil(picture.height / MACROBLOCK);
  const out = bitWriter();
  out.bits(PROFILE.idc, 8);
  out.bits(PROFILE.constraints, 8);
  out.bits(PROFILE.level, 8);
  out.ue(0); // id
  out.ue(0); // frame_num has 4 bits
  out.ue(2); // shown in the order of decoding
  out.ue(1); // reference frames
  out.bits(0, 1); // no gaps in frame_num
  out.ue(picture.width / MACROBLOCK - 1);
  out.ue(rows - 1);
  out.bits(1, 1); // frames only
  out.bits(1, 1); // direct_8x8_inference
  out.bits(1, 1); // cropped
  for (const edge of [0, 0, 0, (rows * MACROBLOCK - picture.height) / 2]) out.ue(edge);
  out.bits(0, 1); // no VUI
  return nal(NAL.sps, out.finish());
}

function pictureParameters(): Buffer {
  const out = bitWriter();
  out.ue(0); // id
  out.ue(0); // of which sequence
  out.bits(0, 2); // CAVLC; no field order
  out.ue(0); // one slice group
  out.ue(0); // one reference picture in list 0
  out.ue(0); // and in list 1
  out.bits(0, 3); // no weighted prediction
  for (let offset = 0; offset < 3; offset += 1) out.ue(0); // quantizer offsets
  out.bits(1, 1); // deblocking is said in the slices
  out.bits(0, 2); // no constrained intra prediction, no redundant pictures
  return nal(NAL.pps, out.finish());
}

function keySlice(picture: Picture): Buffer {
  const out = bitWriter();
  sliceHead(out, 7, 0);
  out.ue(0); // idr_pic_id
  out.bits(0, 2); // reference marking
  sliceTail(out);
  for (const block of picture.blocks) writeSamples(out, I_PCM, block);
  return nal(NAL.idr, out.finish());
}

function interSlice(picture: Picture, before: Picture, index: number): Buffer {
  const out = bitWriter();
  sliceHead(out, 5, index % 16);
  out.bits(0, 3); // no override of reference counts, no reordering, plain marking
  sliceTail(out);
  let skipped = 0;
  for (const [at, block] of picture.blocks.entries()) {
    if (block === before.blocks[at]) {
      skipped += 1;
    } else {
      out.ue(skipped);
      writeSamples(out, I_PCM_IN_P, block);
      skipped = 0;
    }
  }
  if (skipped > 0) out.ue(skipped);
  return nal(NAL.slice, out.finish());
}

function sliceHead(out: BitWriter, type: number, frame: number): void {
  out.ue(0); // first macroblock
  out.ue(type);
  out.ue(0); // picture parameters
  out.bits(frame, 4);
}

function sliceTail(out: BitWriter): void {
  out.ue(0); // quantizer delta
  out.ue(1); // no deblocking
}

function writeSamples(out: BitWriter, type: number, block: Uint8Array): void {
  out.ue(type);
  out.align();
  out.bytes(block);
}

/** A NAL unit: its header and the payload with emulation prevention bytes (H.264, 7.4.1). */
function nal(header: number, payload: Buffer): Buffer {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}

function withLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(unit.length);
  return Buffer.concat([length, unit]);
}

function configurationRecord(sps: Buffer, pps: Buffer): Buffer {
  const head = [1, PROFILE.idc, PROFILE.constraints, PROFILE.level, 0xff, 0xe1, 0, sps.length];
  return Buffer.concat([Buffer.from(head), sps, Buffer.from([1, 0, pps.length]), pps]);
}
