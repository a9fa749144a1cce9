/** Marks of the place and the device in a video with camera metadata. */
export const CAMERA_MARKS = ['+52.5200+013.4050', 'ACME Camera', 'location.ISO6709', 'GPSLatitude'] as const;

const XMP = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

export function box(type: string, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map(each => (typeof each === 'string' ? Buffer.from(each) : each)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** Splits a file, or the content of a container, into its boxes. */
function boxesOf(bytes: Buffer): Buffer[] {
  if (bytes.length < 8) return [];
  const end = bytes.readUInt32BE(0);
  return [bytes.subarray(0, end), ...boxesOf(bytes.subarray(end))];
}

const typeOf = (each: Buffer) => each.toString('latin1', 4, 8);

/**
 * Returns an MP4 with what cameras and editors write: user data and metadata of the file and of a track, and XMP. `index`:
 * whether `moov` comes before the media data, whose offsets it then does not fit, or behind it as cameras write it.
 */
export function withCameraData(mp4: Buffer, index: 'behind' | 'before' = 'behind'): Buffer {
  const boxes = boxesOf(mp4);
  const moov = boxes.find(each => typeOf(each) === 'moov') ?? Buffer.alloc(8);
  const [place, device, key, xmp] = CAMERA_MARKS;
  const userData = box(
    'udta',
    box('\u00a9xyz', Buffer.from([0, 17, 0x15, 0xc7]), place),
    box('\u00a9mak', device),
  );
  const children = boxesOf(moov.subarray(8)).map(each =>
    typeOf(each) === 'trak' ? box('trak', each.subarray(8), box('udta', box('loci', device))) : each,
  );
  const filled = box('moov', ...children, userData, box('meta', box('keys', `com.apple.quicktime.${key}`)));
  const rest = boxes.filter(each => each !== moov && typeOf(each) !== 'ftyp');
  const added = box('uuid', XMP, xmp);
  const start = boxes.filter(each => typeOf(each) === 'ftyp');
  return Buffer.concat(
    index === 'before' ? [...start, filled, ...rest, added] : [...start, ...rest, filled, added],
  );
}
