/*
 * The one value of Exif that changes how an image looks. Exif is a TIFF file inside the image (Exif 2.32, 4.5 and 4.6).
 */

const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;
/** A type of TIFF: 16 bits without a sign. */
const SHORT = 3;
const UPRIGHT = 1;

/** Returns an Exif block that declares the orientation of another and nothing else; null for an upright image. */
export function orientationOnly(exif: Buffer): Buffer | null {
  const orientation = readOrientation(exif);
  return orientation === UPRIGHT ? null : writeOrientation(orientation);
}

/** Returns the orientation, 1 to 8; 1 where none can be read. */
function readOrientation(exif: Buffer): number {
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const uint16 = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const uint32 = (at: number) => (isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  try {
    const start = uint32(4);
    const count = uint16(start);
    for (let entry = 0; entry < count; entry += 1) {
      const at = start + 2 + entry * ENTRY_BYTES;
      if (uint16(at) !== ORIENTATION_TAG) continue;
      const value = uint16(at + 8);
      return value >= 1 && value <= 8 ? value : UPRIGHT;
    }
  } catch (error) {
    // Damaged Exif declares nothing that a viewer would follow.
    if (!(error instanceof RangeError)) throw error;
  }
  return UPRIGHT;
}

/** Returns a TIFF with a single entry in its first directory. */
function writeOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION_TAG, 10);
  tiff.writeUInt16BE(SHORT, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
