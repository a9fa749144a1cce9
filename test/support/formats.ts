import { chunk as pngChunk } from './bad-files.ts';
import { padded } from './media.ts';
import { makeFiles } from '../../local/sandbox/media/files.ts';
import type { MediaFormat } from '../../shared/model/media.ts';

/** Returns a small valid file of every supported format. */
export async function filesOfFormats(): Promise<Readonly<Record<MediaFormat, Buffer>>> {
  const files = await makeFiles();
  const sample = (name: string) => files.get(name)!.bytes;
  const mp4 = sample('clip.mp4');
  const webm = sample('clip.webm');
  return {
    JPG: sample('photo.jpg'),
    PNG: sample('photo.png'),
    GIF: sample('anim.gif'),
    WebP: sample('photo.webp'),
    BMP: bmp(),
    MP4: mp4,
    MOV: sample('clip.mov'),
    '3GP': withBrand(mp4, '3gp5'),
    WebM: webm,
    MKV: asMatroska(webm),
    AVI: avi(),
    FLV: flv(),
    WMV: wmv(),
    PDF: sample('doc.pdf'),
  };
}

const text = (value: string) => Buffer.from(value, 'latin1');

function le(bytes: number, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, Math.min(bytes, 6));
  return buffer;
}

/** Returns a BMP of two by two pixels with 24 bits. */
function bmp(): Buffer {
  const pixels = Buffer.from('ff0000' + '00ff00' + '0000' + '0000ff' + 'ffffff' + '0000', 'hex');
  const info = [
    le(4, 40),
    le(4, 2),
    le(4, 2),
    le(2, 1),
    le(2, 24),
    le(4, 0),
    le(4, pixels.length),
    Buffer.alloc(16),
  ];
  const size = 14 + 40 + pixels.length;
  return Buffer.concat([text('BM'), le(4, size), le(4, 0), le(4, 54), ...info, pixels]);
}

function withBrand(mp4: Buffer, brand: string): Buffer {
  const copy = Buffer.from(mp4);
  copy.write(brand, 8, 'latin1');
  return copy;
}

/** Returns a WebM as Matroska, with a changed document type. */
function asMatroska(webm: Buffer): Buffer {
  const at = webm.indexOf('webm', 0, 'latin1');
  const head = Buffer.concat([Buffer.from([0x42, 0x82, 0x88]), text('matroska')]);
  const before = webm.subarray(0, at - 3);
  const grown = Buffer.concat([before, head, webm.subarray(at + 4)]);
  // The header's size follows its id; the number of leading zero bits is the number of its bytes.
  const length = Math.clz32(grown[4]!) - 23;
  const last = 4 + length - 1;
  grown[last] = grown[last]! + 4;
  return grown;
}

function chunk(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([text(name), le(4, body.length), body, Buffer.alloc(body.length % 2)]);
}

function avi(): Buffer {
  const header = chunk('avih', Buffer.alloc(56));
  const list = chunk('LIST', text('hdrl'), header);
  return chunk('RIFF', text('AVI '), list, chunk('LIST', text('movi'), chunk('00dc', Buffer.alloc(64, 7))));
}

/** Returns an FLV with a header and one video tag. */
function flv(): Buffer {
  const body = Buffer.alloc(32, 0x12);
  const tag = Buffer.concat([Buffer.from([9, 0, 0, body.length, 0, 0, 0, 0, 0, 0, 0]), body]);
  const back = Buffer.alloc(4);
  back.writeUInt32BE(tag.length);
  return Buffer.concat([text('FLV'), Buffer.from([1, 1, 0, 0, 0, 9, 0, 0, 0, 0]), tag, back]);
}

const GUID = {
  header: '3026b2758e66cf11a6d900aa0062ce6c',
  file: 'a1dcab8c47a9cf118ee400c00c205365',
  stream: '9107dcb7b7a9cf118ee600c00c205365',
  video: 'c0ef19bc4d5bcf11a8fd00805f5c442b',
  data: '3626b2758e66cf11a6d900aa0062ce6c',
};

/** Returns a WMV: an ASF header with file and video stream properties, and data. */
function wmv(): Buffer {
  const object = (guid: string, ...content: Buffer[]) => {
    const body = Buffer.concat(content);
    return Buffer.concat([Buffer.from(guid, 'hex'), le(8, 24 + body.length), body]);
  };
  const make = (size: number) => {
    const file = object(
      GUID.file,
      Buffer.alloc(16),
      le(8, size),
      Buffer.alloc(40),
      le(4, 2),
      Buffer.alloc(12),
    );
    const stream = object(GUID.stream, Buffer.from(GUID.video, 'hex'), Buffer.alloc(38));
    const header = object(GUID.header, le(4, 2), Buffer.from([1, 2]), file, stream);
    return Buffer.concat([header, object(GUID.data, Buffer.alloc(100, 5))]);
  };
  return make(make(0).length);
}

/** Formats of which `enlarged` makes files of any size. */
export const ENLARGEABLE = ['JPG', 'PNG', 'GIF', 'WebP', 'PDF', 'MP4'] as const;

/** Returns a complete file of about `size` bytes whose content is spread over it, as in a real one. */
export function enlarged(format: (typeof ENLARGEABLE)[number], file: Buffer, size: number): Buffer {
  const missing = Math.max(0, size - file.length);
  const insert = (at: number, content: Buffer) =>
    Buffer.concat([file.subarray(0, at), content, file.subarray(at)]);
  switch (format) {
    case 'JPG':
      // Entropy-coded data: no byte of it is 0xff.
      return insert(file.length - 2, Buffer.alloc(missing, 0x5a));
    case 'PNG':
      return insert(
        file.length - 12,
        chunks(missing, 65_536, data => pngChunk('IDAT', data)),
      );
    case 'GIF':
      return insert(
        file.length - 2,
        chunks(missing, 255, data => Buffer.concat([le(1, data.length), data])),
      );
    case 'WebP': {
      const copy = Buffer.concat([file, chunk('XTRA', Buffer.alloc(missing, 7))]);
      copy.writeUInt32LE(copy.length - 8, 4);
      return copy;
    }
    case 'PDF': {
      const object = text(`9 0 obj << /Length ${missing} >>\nstream\n`);
      return insert(9, Buffer.concat([object, Buffer.alloc(missing, 0x5a), text('\nendstream endobj\n')]));
    }
    case 'MP4':
      return padded(file, Math.max(size, file.length));
  }
}

function chunks(size: number, each: number, make: (data: Buffer) => Buffer): Buffer {
  const count = Math.ceil(size / each);
  return Buffer.concat(Array.from({ length: count }, () => make(Buffer.alloc(each, 0x5a))));
}
