import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { chunk } from '../../test/support/bad-files.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
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
      problem: expect.stringMatching(/script|start a program/),
    });
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
