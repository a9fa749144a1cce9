import { crc32, deflateSync } from 'node:zlib';
import type { MediaFormat } from '../../shared/model/media.ts';

/** A file that uploads must refuse, and what the error message says. */
export interface BadFile {
  name: string;
  bytes: Buffer;
  message: RegExp;
}

/** Returns files that are damaged, unsupported, dangerous, or valid in two formats at once. */
export function badFiles(files: Readonly<Record<MediaFormat, Buffer>>): BadFile[] {
  const cut = Object.entries(files).map(([format, whole]): BadFile => ({
    name: `a truncated ${format}`,
    bytes: whole.subarray(0, Math.floor(whole.length * 0.6)),
    message: /damaged/,
  }));
  const head = Object.entries(files).map(([format, whole]): BadFile => ({
    name: `the first bytes of a ${format}`,
    bytes: whole.subarray(0, 24),
    message: /damaged|not recognized|not supported/,
  }));
  const others = OTHERS.map(([name, make, message]): BadFile => ({ name, bytes: make(files), message }));
  return [...cut, ...head, ...others];
}

type Files = Readonly<Record<MediaFormat, Buffer>>;
const text = (value: string) => () => Buffer.from(value);
const hex =
  (value: string, padding = 64) =>
  () =>
    Buffer.concat([Buffer.from(value, 'hex'), Buffer.alloc(padding)]);
const script = Buffer.from('<script>alert(1)</script>');
const ZIP_END = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);

const OTHERS: readonly [name: string, make: (files: Files) => Buffer, message: RegExp][] = [
  ['an empty file', () => Buffer.alloc(0), /empty/],
  ['a file of zeros', () => Buffer.alloc(5000), /not recognized/],
  ['a text file', text('hello, this is not an image'), /not recognized/],
  ['a web page', text('<!DOCTYPE html><html><body>Sign in</body></html>'), /web page/],
  ['an SVG', () => svg(), /SVG/],
  ['an SVG as XML', () => svg('<?xml version="1.0"?>\n<!-- by hand -->\n'), /SVG/],
  ['a HEIC image', () => heic(), /HEIC/],
  ['an AVIF image', hex('00000020667479706176696600000000617669666d6966316d696166'), /AVIF/],
  ['a TIFF image', hex('49492a0008000000'), /not supported/],
  ['a Linux program', hex('7f454c46020101000000000000000000'), /not supported/],
  ['a Windows program', hex('4d5a90000300000004000000ffff0000'), /not supported/],
  ['an archive', hex('504b0304140000000800'), /not supported/],
  ['an MP3', hex('49443303000000000021'), /not recognized/],
  ['a PDF with a script', () => pdfWithScript('plain'), /PDF with a script/],
  ['a PDF with a hex-encoded script', () => pdfWithScript('hex'), /PDF with a script/],
  ['a PDF with a compressed script', () => pdfWithScript('compressed'), /PDF with a script/],
  ['a PNG decompression bomb', () => pngOfSize(60_000, 60_000), /pixels/],
  [
    'a GIF decompression bomb',
    ({ GIF }) => patched(GIF, copy => copy.writeUInt32LE(0xffffffff, 6)),
    /pixels/,
  ],
  [
    'a BMP decompression bomb',
    ({ BMP }) => patched(BMP, copy => copy.writeInt32LE(1_000_000, copy.writeInt32LE(1_000_000, 18))),
    /pixels/,
  ],
  [
    'a JPEG decompression bomb',
    ({ JPG }) => patched(JPG, copy => copy.writeUInt32BE(0xffffffff, frameOf(copy) + 5)),
    /pixels/,
  ],
  ['a GIF that is also HTML', ({ GIF }) => Buffer.concat([GIF, script]), /in one/],
  ['a JPEG that is also an archive', ({ JPG }) => Buffer.concat([JPG, ZIP_END]), /in one/],
  ['a PDF that is also an archive', ({ PDF }) => Buffer.concat([PDF, ZIP_END]), /in one/],
  ['a WebM that is also HTML', ({ WebM }) => Buffer.concat([WebM, script]), /in one/],
];

function patched(file: Buffer, change: (copy: Buffer) => unknown): Buffer {
  const copy = Buffer.from(file);
  change(copy);
  return copy;
}

/** Returns the offset of a JPEG's frame header, which holds its height and width. */
function frameOf(jpeg: Buffer): number {
  return Math.max(jpeg.indexOf(Buffer.from('ffc0', 'hex')), jpeg.indexOf(Buffer.from('ffc2', 'hex')));
}

/** Returns a PNG whose header announces these dimensions and that has almost no content. */
export function pngOfSize(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a PNG chunk. */
export function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** Returns the PNG as an animation of two equal frames. */
export function apngOf(png: Buffer): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2, 0);
  const headerEnd = 8 + 25;
  return Buffer.concat([png.subarray(0, headerEnd), chunk('acTL', control), png.subarray(headerEnd)]);
}

/** Returns the first bytes of a HEIC photo. */
export const heic = (): Buffer =>
  Buffer.concat([
    Buffer.from('00000018667479706865696300000000', 'hex'),
    Buffer.from('mif1heic'),
    Buffer.alloc(400),
  ]);

export const svg = (prolog = ''): Buffer =>
  Buffer.from(`${prolog}<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`);

/** Returns a PDF whose catalog runs a script when it opens. */
export function pdfWithScript(encoding: 'plain' | 'hex' | 'compressed'): Buffer {
  const action = '<< /S /JavaScript /JS (app.alert(1)) >>';
  if (encoding === 'plain') return pdfOf(`1 0 obj << /Type /Catalog /OpenAction ${action} >> endobj`);
  if (encoding === 'hex') {
    const encoded = action.replace('/JavaScript', '/J#61vaScr#69pt').replace('/JS', '/#4A#53');
    return pdfOf(`1 0 obj << /Type /Catalog /OpenAction ${encoded} >> endobj`);
  }
  const compressed = deflateSync(Buffer.from(`1 0 << /Type /Catalog /OpenAction ${action} >>`));
  const dictionary = `<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${compressed.length} >>`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.7\n2 0 obj ${dictionary}\nstream\n`),
    compressed,
    Buffer.from('\nendstream endobj\n%%EOF'),
  ]);
}

const pdfOf = (body: string) => Buffer.from(`%PDF-1.7\n${body}\n%%EOF\n`);
