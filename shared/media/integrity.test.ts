import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { chunk } from '../../test/support/bad-files.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
import { FILE_OF_FORMAT, type MediaFormat } from '../model/media.ts';
import { identify } from './inspect.ts';
import { checkBytesIntegrity } from './integrity.ts';

const FORMATS = Object.keys(FILE_OF_FORMAT) as MediaFormat[];

let files: Readonly<Record<MediaFormat, Buffer>>;
beforeAll(async () => {
  files = await filesOfFormats();
});

test.each(FORMATS)('a %s is known by its bytes, and sound', async format => {
  expect(await identify(files[format])).toMatchObject({ type: 'known', format });
  expect(await checkBytesIntegrity(files[format])).toEqual({ format });
});

test.each(FORMATS)('a %s that is cut off is found out', async format => {
  const whole = files[format];
  const cut = whole.subarray(0, Math.floor(whole.length * 0.6));
  expect(await checkBytesIntegrity(cut)).toEqual({ fault: expect.stringMatching(/damaged/) });
});

test.each([
  ['nothing', Buffer.alloc(0)],
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
  ['a program', Buffer.from('7f454c46020101000000000000000000', 'hex')],
  ['an audio file', Buffer.from('4944330300000000000a', 'hex')],
])('%s is no medium', async (_, bytes) => {
  expect(await identify(bytes)).toMatchObject({ type: 'unsupported', message: expect.any(String) });
});

describe('a picture', () => {
  test('with more pixels than anybody opens is refused, however small its file', async () => {
    const bomb = Buffer.from(files.PNG);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(await checkBytesIntegrity(bomb)).toEqual({ fault: expect.stringMatching(/60000 x 60000 pixels/) });
  });

  test('with a smaller one in its notes is cut off where it is, not where that one ends', async () => {
    const thumbnail = Buffer.concat([
      Buffer.from([0xff, 0xe1, 0x00, 0x08]),
      Buffer.from([0xff, 0xd8, 1, 2, 0xff, 0xd9]),
    ]);
    const whole = Buffer.concat([files.JPG.subarray(0, 2), thumbnail, files.JPG.subarray(2)]);
    expect(await checkBytesIntegrity(whole)).toEqual({ format: 'JPG' });
    expect(await checkBytesIntegrity(whole.subarray(0, 3000))).toEqual({
      fault: expect.stringMatching(/damaged/),
    });
  });

  test('may have something behind its end, as phones do', async () => {
    const motion = Buffer.concat([files.JPG, files.MP4, Buffer.alloc(200_000, 1)]);
    expect(await checkBytesIntegrity(motion)).toEqual({ format: 'JPG' });
  });

  test('of every way to write it is sound', async () => {
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

describe('a file that is two things in one', () => {
  const script = Buffer.from('/*<script>alert(1)</script>*/');
  const archive = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);
  const commented = Buffer.concat([
    Buffer.from('504b0506', 'hex'),
    Buffer.alloc(16),
    Buffer.from([5, 0]),
    Buffer.from('hello'),
  ]);
  const message = (png: Buffer, text: string) =>
    Buffer.concat([png.subarray(0, 33), chunk('tEXt', Buffer.from(`Note\0${text}`)), png.subarray(33)]);

  test.each<[string, () => Buffer, string]>([
    ['a GIF and a page', () => Buffer.concat([files.GIF, script]), 'a web page'],
    ['a JPEG and a page', () => Buffer.concat([files.JPG, Buffer.from('<HTML><body>')]), 'a web page'],
    [
      'a BMP and a program for a server',
      () => Buffer.concat([files.BMP, Buffer.from('<?php x();')]),
      'a web page',
    ],
    ['a PNG with a page in its notes', () => message(files.PNG, '<!DOCTYPE html><b>'), 'a web page'],
    ['a clip and a page', () => Buffer.concat([files.WebM, script]), 'a web page'],
    ['a JPEG and an archive', () => Buffer.concat([files.JPG, archive]), 'an archive'],
    ['a PDF and an archive with a comment', () => Buffer.concat([files.PDF, commented]), 'an archive'],
    ['a PNG and a document', () => message(files.PNG, '%PDF-1.4 1 0 obj'), 'a document'],
  ])('%s is refused', async (_, make, what) => {
    expect(await checkBytesIntegrity(make())).toEqual({
      fault: expect.stringContaining(`and ${what} in one`),
    });
  });

  test('is none where its notes just speak of it', async () => {
    for (const words of ['<x:xmpmeta xmlns:x="adobe:ns:meta/"/>', 'scripts, html & PK', 'a PDF-1.4 of mine'])
      expect(await checkBytesIntegrity(message(files.PNG, words))).toEqual({ format: 'PNG' });
  });
});

describe('a document', () => {
  test.each([
    '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>',
    '/AA<</O<</S/JS>>>>',
    '/A << /S /Launch /F (cmd.exe) >>',
  ])('with %s brings a script', async words => {
    const pdf = Buffer.concat([
      files.PDF.subarray(0, 20),
      Buffer.from(`\n1 0 obj << ${words} >>\n`),
      files.PDF.subarray(20),
    ]);
    expect(await checkBytesIntegrity(pdf)).toEqual({
      fault: expect.stringMatching(/script|start a program/),
    });
  });

  test('is looked through to its end, also where it is long', async () => {
    const long = Buffer.concat([
      files.PDF,
      Buffer.alloc(13 * 1024 ** 2, 32),
      Buffer.from('/JavaScript\n%%EOF\n'),
    ]);
    expect(await checkBytesIntegrity(long)).toEqual({ fault: expect.stringMatching(/script/) });
    const harmless = Buffer.concat([
      files.PDF,
      Buffer.alloc(13 * 1024 ** 2, 32),
      Buffer.from('/JSomething\n%%EOF\n'),
    ]);
    expect(await checkBytesIntegrity(harmless)).toEqual({ format: 'PDF' });
  });
});
