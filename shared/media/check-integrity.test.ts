import { beforeAll, describe, expect, test } from '@jest/globals';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { chunk } from '../../test/support/bad-files.ts';
import { ENLARGEABLE, enlarged, filesOfFormats } from '../../test/support/formats.ts';
import { FILE_OF_FORMAT, type MediaFormat } from '../model/media.ts';
import { identify } from './probe/identify.ts';
import { checkBytesIntegrity } from './check-integrity.ts';

const FORMATS = Object.keys(FILE_OF_FORMAT) as MediaFormat[];

let files: Readonly<Record<MediaFormat, Buffer>>;
beforeAll(async () => {
  files = await filesOfFormats();
});

test.each(FORMATS)('identifies a %s by its bytes and accepts it', async format => {
  expect(await identify(files[format])).toMatchObject({ type: 'known', format });
  expect(await checkBytesIntegrity(files[format])).toEqual({ format });
});

test.each(FORMATS)('refuses a truncated %s', async format => {
  const whole = files[format];
  const cut = whole.subarray(0, Math.floor(whole.length * 0.6));
  expect(await checkBytesIntegrity(cut)).toEqual({ problem: expect.stringMatching(/damaged/) });
});

test.each([
  ['an empty file', Buffer.alloc(0)],
  ['a text', Buffer.from('Just some words, and nothing else.')],
  ['zeros', Buffer.alloc(4096)],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['an SVG as XML', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
  [
    'a HEIC',
    Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic'), Buffer.alloc(40)]),
  ],
  ['a web page', Buffer.from('<!DOCTYPE html><html><body>GIF89a</body></html>')],
  ['an archive', Buffer.from('504b0304140000000800', 'hex')],
  ['an executable', Buffer.from('7f454c46020101000000000000000000', 'hex')],
  ['an audio file', Buffer.from('4944330300000000000a', 'hex')],
])('does not identify %s as media', async (_, bytes) => {
  expect(await identify(bytes)).toMatchObject({ type: 'unsupported', message: expect.any(String) });
});

describe.each(ENLARGEABLE)('a %s', format => {
  test.each([100_000, 1_000_000, 20_000_000])(
    'of %i bytes is accepted whole and refused truncated',
    async size => {
      const whole = enlarged(format, files[format], size);
      expect(whole.length).toBeGreaterThan(size * 0.9);
      expect(await checkBytesIntegrity(whole)).toEqual({ format });
      for (const cut of [0.3, 0.6, 0.99]) {
        const part = whole.subarray(0, Math.floor(whole.length * cut));
        const result = await checkBytesIntegrity(part);
        expect({ cut, ...result }).toEqual({ cut, problem: expect.stringMatching(/damaged/) });
      }
    },
  );
});

describe('an image', () => {
  test('is refused for its pixels, however small its file', async () => {
    const bomb = Buffer.from(files.PNG);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(await checkBytesIntegrity(bomb)).toEqual({
      problem: expect.stringMatching(/60000 x 60000 pixels/),
    });
  });

  test('is truncated although its thumbnail has an end marker', async () => {
    const thumbnail = Buffer.concat([
      Buffer.from([0xff, 0xe1, 0x00, 0x08]),
      Buffer.from([0xff, 0xd8, 1, 2, 0xff, 0xd9]),
    ]);
    const whole = Buffer.concat([files.JPG.subarray(0, 2), thumbnail, files.JPG.subarray(2)]);
    expect(await checkBytesIntegrity(whole)).toEqual({ format: 'JPG' });
    expect(await checkBytesIntegrity(whole.subarray(0, 3000))).toEqual({
      problem: expect.stringMatching(/damaged/),
    });
  });

  test('may have data behind its end marker, as motion photos do', async () => {
    const motion = Buffer.concat([files.JPG, files.MP4, Buffer.alloc(200_000, 1)]);
    expect(await checkBytesIntegrity(motion)).toEqual({ format: 'JPG' });
  });

  test('is accepted in every encoding variant', async () => {
    const picture = sharp({ create: { width: 300, height: 200, channels: 4, background: '#abc8' } });
    for (const [format, bytes] of [
      ['JPG', await picture.clone().jpeg({ progressive: true }).toBuffer()],
      ['PNG', await picture.clone().png({ palette: true }).toBuffer()],
      ['WebP', await picture.clone().webp({ lossless: true }).toBuffer()],
      ['GIF', await picture.clone().gif().toBuffer()],
    ] as const) {
      expect(await checkBytesIntegrity(bytes)).toEqual({ format });
    }
  });
});

describe('a polyglot file', () => {
  const script = Buffer.from('/*<script>alert(1)</script>*/');
  const archive = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);
  const commented = Buffer.concat([
    Buffer.from('504b0506', 'hex'),
    Buffer.alloc(16),
    Buffer.from([5, 0]),
    Buffer.from('hello'),
  ]);
  const withText = (png: Buffer, text: string) =>
    Buffer.concat([png.subarray(0, 33), chunk('tEXt', Buffer.from(`Note\0${text}`)), png.subarray(33)]);

  test.each<[string, () => Buffer, string]>([
    ['a GIF and a page', () => Buffer.concat([files.GIF, script]), 'a web page'],
    ['a JPEG and a page', () => Buffer.concat([files.JPG, Buffer.from('<HTML><body>')]), 'a web page'],
    ['a BMP and a PHP script', () => Buffer.concat([files.BMP, Buffer.from('<?php x();')]), 'a web page'],
    ['a PNG with a page in its metadata', () => withText(files.PNG, '<!DOCTYPE html><b>'), 'a web page'],
    ['a clip and a page', () => Buffer.concat([files.WebM, script]), 'a web page'],
    ['a JPEG and an archive', () => Buffer.concat([files.JPG, archive]), 'an archive'],
    ['a PDF and an archive with a comment', () => Buffer.concat([files.PDF, commented]), 'an archive'],
    ['a PNG and a PDF', () => withText(files.PNG, '%PDF-1.4 1 0 obj'), 'a PDF'],
  ])('is refused: %s', async (_, make, what) => {
    expect(await checkBytesIntegrity(make())).toEqual({
      problem: expect.stringContaining(`and ${what} in one`),
    });
  });

  test('is not one whose metadata only mentions other formats', async () => {
    for (const words of ['<x:xmpmeta xmlns:x="adobe:ns:meta/"/>', 'scripts, html & PK', 'a PDF-1.4 of mine'])
      expect(await checkBytesIntegrity(withText(files.PNG, words))).toEqual({ format: 'PNG' });
  });
});

describe('a PDF', () => {
  test.each([
    '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>',
    '/AA<</O<</S/JS>>>>',
    '/A << /S /Launch /F (cmd.exe) >>',
  ])('is refused with %s', async words => {
    const pdf = Buffer.concat([
      files.PDF.subarray(0, 20),
      Buffer.from(`\n1 0 obj << ${words} >>\n`),
      files.PDF.subarray(20),
    ]);
    expect(await checkBytesIntegrity(pdf)).toEqual({
      problem: expect.stringMatching(/script|starts a program/),
    });
  });

  const objectStream = (dictionary: string, content: Buffer) =>
    Buffer.concat([
      Buffer.from(`%PDF-1.7\n2 0 obj << ${dictionary} /N 1 /First 4 /Length ${content.length} >>\nstream\n`),
      content,
      Buffer.from('\nendstream endobj\n%%EOF'),
    ]);
  const packed = deflateSync(Buffer.from('1 0 << /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>'));
  const hex = Buffer.from(`${packed.toString('hex')}>`);

  test.each<[string, Buffer]>([
    ['an escaped type', objectStream('/Type /Obj#53tm /Filter /FlateDecode', packed)],
    ['no type', objectStream('/Filter /FlateDecode', packed)],
    ['padding', objectStream(`/Type /ObjStm /Filter /FlateDecode /Pad (${'x'.repeat(400)})`, packed)],
    ['a filter chain', objectStream('/Type /ObjStm /Filter [/ASCIIHexDecode /FlateDecode]', hex)],
    ['an escaped filter', objectStream('/Type /ObjStm /Filter /Fl#61teDecode', packed)],
    [
      'a space after its keyword',
      Buffer.from(
        objectStream('/Type /ObjStm /Filter /FlateDecode', packed)
          .toString('latin1')
          .replace('stream\n', 'stream \n'),
        'latin1',
      ),
    ],
  ])('is refused with a script in a compressed object with %s', async (_, pdf) => {
    expect(await checkBytesIntegrity(pdf)).toEqual({ problem: expect.stringMatching(/PDF with a script/) });
  });

  test.each<[string, Buffer]>([
    ['an unsupported filter', objectStream('/Type /ObjStm /Filter /LZWDecode', packed)],
    [
      'a predictor',
      objectStream('/Type /ObjStm /Filter /FlateDecode /DecodeParms << /Predictor 12 >>', packed),
    ],
    ['damaged data', objectStream('/Type /ObjStm /Filter /FlateDecode', Buffer.alloc(500, 7))],
    [
      'a decompression bomb',
      objectStream('/Type /ObjStm /Filter /FlateDecode', deflateSync(Buffer.alloc(9 * 1024 ** 2))),
    ],
  ])('is refused with compressed objects with %s, which cannot be checked', async (_, pdf) => {
    expect(await checkBytesIntegrity(pdf)).toEqual({ problem: expect.stringMatching(/cannot be checked/) });
  });

  test('with hundreds of decompression bombs is refused within seconds', async () => {
    const bomb = deflateSync(Buffer.alloc(5 * 1024 ** 2, 32), { level: 9 });
    const object = Buffer.concat([
      Buffer.from('2 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode >>\nstream\n'),
      bomb,
      Buffer.from('\nendstream endobj\n'),
    ]);
    const pdf = Buffer.concat([
      Buffer.from('%PDF-1.7\n'),
      ...Array<Buffer>(200).fill(object),
      Buffer.from('%%EOF'),
    ]);
    expect(await checkBytesIntegrity(pdf)).toEqual({ problem: expect.stringMatching(/cannot be checked/) });
  });

  test.each([
    '/URI (https://example.com/Launch/js/JS.html)',
    '/Title (A book about Java/Scripts)',
    '/JSomething true',
  ])('is accepted with %s', async words => {
    const pdf = Buffer.from(`%PDF-1.7\n1 0 obj << ${words} >> endobj\n%%EOF\n`);
    expect(await checkBytesIntegrity(pdf)).toEqual({ format: 'PDF' });
  });

  test('is accepted with compressed objects without a script', async () => {
    const harmless = deflateSync(Buffer.from('1 0 << /Type /Catalog /Pages 2 0 R >>'));
    const pdf = objectStream('/Type /ObjStm /Filter /FlateDecode', harmless);
    expect(await checkBytesIntegrity(pdf)).toEqual({ format: 'PDF' });
  });

  test('is searched for scripts to its end', async () => {
    const long = Buffer.concat([
      files.PDF,
      Buffer.alloc(13 * 1024 ** 2, 32),
      Buffer.from('/JavaScript\n%%EOF\n'),
    ]);
    expect(await checkBytesIntegrity(long)).toEqual({ problem: expect.stringMatching(/script/) });
    const harmless = Buffer.concat([
      files.PDF,
      Buffer.alloc(13 * 1024 ** 2, 32),
      Buffer.from('/JSomething\n%%EOF\n'),
    ]);
    expect(await checkBytesIntegrity(harmless)).toEqual({ format: 'PDF' });
  });
});
