import { crc32, deflateSync } from 'node:zlib';

/** A PNG that says how large it is, and has next to nothing in it. */
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

/** A chunk of a PNG. */
export function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** The still PNG as an animation of two frames that look alike. */
export function apngOf(png: Buffer): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2, 0);
  const headerEnd = 8 + 25;
  return Buffer.concat([png.subarray(0, headerEnd), chunk('acTL', control), png.subarray(headerEnd)]);
}

/** The first bytes of an iPhone's photo. */
export const heic = (): Buffer =>
  Buffer.concat([
    Buffer.from('00000018667479706865696300000000', 'hex'),
    Buffer.from('mif1heic'),
    Buffer.alloc(400),
  ]);

export const svg = (prolog = ''): Buffer =>
  Buffer.from(`${prolog}<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`);

/** A PDF whose catalog opens with an action, written in the way that `how` says. */
export function pdfWithScript(how: 'plain' | 'numbers' | 'packed'): Buffer {
  const action = '<< /S /JavaScript /JS (app.alert(1)) >>';
  if (how === 'plain') return pdfOf(`1 0 obj << /Type /Catalog /OpenAction ${action} >> endobj`);
  if (how === 'numbers') {
    const written = action.replace('/JavaScript', '/J#61vaScr#69pt').replace('/JS', '/#4A#53');
    return pdfOf(`1 0 obj << /Type /Catalog /OpenAction ${written} >> endobj`);
  }
  const packed = deflateSync(Buffer.from(`1 0 << /Type /Catalog /OpenAction ${action} >>`));
  const dictionary = `<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${packed.length} >>`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.7\n2 0 obj ${dictionary}\nstream\n`),
    packed,
    Buffer.from('\nendstream endobj\n%%EOF'),
  ]);
}

const pdfOf = (body: string) => Buffer.from(`%PDF-1.7\n${body}\n%%EOF\n`);
