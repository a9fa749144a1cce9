import { describe, expect, test } from '@jest/globals';
import { expectLinear } from '../../../test/support/growth.ts';
import { directLink } from './share-links.ts';
import { readSharePage } from './share-pages.ts';

const ID = '1aBcD_efGHijKLmnOPqrSTuv-wxYZ0123';
const DIRECT = `https://drive.usercontent.google.com/download?id=${ID}&export=download&confirm=t`;

describe('a Google Drive link', () => {
  test.each([
    `https://drive.google.com/file/d/${ID}/view?usp=sharing`,
    `https://drive.google.com/file/d/${ID}/view?usp=drive_link`,
    `https://drive.google.com/file/d/${ID}/edit`,
    `https://drive.google.com/file/d/${ID}/preview`,
    `https://drive.google.com/file/d/${ID}`,
    `https://drive.google.com/file/u/1/d/${ID}/view`,
    `https://drive.google.com/a/example.com/file/d/${ID}/view`,
    `https://drive.google.com/open?id=${ID}`,
    `https://drive.google.com/open?id=${ID}&usp=drive_copy`,
    `https://drive.google.com/uc?id=${ID}`,
    `https://drive.google.com/uc?export=download&id=${ID}`,
    `https://drive.google.com/u/0/uc?id=${ID}&export=download`,
    `https://docs.google.com/file/d/${ID}/edit`,
    `https://docs.google.com/uc?export=download&id=${ID}`,
    `https://drive.usercontent.google.com/download?id=${ID}&export=download`,
  ])('%s', link => {
    expect(directLink(link)).toEqual({ url: DIRECT });
  });

  test('keeps the resource key of an older file', () => {
    const link = `https://drive.google.com/file/d/${ID}/view?resourcekey=0-abc`;
    expect(directLink(link)).toEqual({ url: `${DIRECT}&resourcekey=0-abc` });
  });

  test.each([
    [
      `https://docs.google.com/document/d/${ID}/edit`,
      `https://docs.google.com/document/d/${ID}/export?format=pdf`,
    ],
    [
      `https://docs.google.com/presentation/d/${ID}/edit#slide=1`,
      `https://docs.google.com/presentation/d/${ID}/export/pdf`,
    ],
  ])('to a Google document becomes its export: %s', (link, url) => {
    expect(directLink(link)).toEqual({ url });
  });

  test('to a folder is refused', () => {
    expect(directLink(`https://drive.google.com/drive/folders/${ID}?usp=sharing`)).toEqual({
      problem: expect.stringContaining('folder'),
    });
  });

  const WARNING = `<!DOCTYPE html><html><head><title>Google Drive - Virus scan warning</title></head><body>
    <p>Google Drive can't scan this file for viruses.</p>
    <form id="download-form" action="https://drive.usercontent.google.com/download" method="get">
      <input type="submit" id="uc-download-link" value="Download anyway"/>
      <input type="hidden" name="id" value="${ID}"><input type="hidden" name="export" value="download">
      <input type="hidden" name="confirm" value="t"><input type="hidden" name="uuid" value="2f-9a">
      <input type="hidden" name="at" value="APvz&amp;x">
    </form></body></html>`;

  test('answers the virus scan warning of a large file', () => {
    expect(readSharePage(DIRECT, WARNING)).toEqual({ url: `${DIRECT}&uuid=2f-9a&at=APvz%26x` });
  });

  test('answers the older virus scan warning, whose answer is a link', () => {
    const page = `<a id="uc-download-link" href="/uc?export=download&amp;confirm=aB1c&amp;id=${ID}">Download anyway</a>`;
    expect(readSharePage('https://drive.google.com/uc?id=x', page)).toEqual({
      url: `https://drive.google.com/uc?export=download&confirm=aB1c&id=${ID}`,
    });
  });

  test('is not followed to another host', () => {
    const page = WARNING.replace('https://drive.usercontent.google.com', 'https://evil.example.com');
    expect(readSharePage(DIRECT, page)).toEqual({ problem: expect.any(String) });
  });

  test.each([
    ['Too many users have viewed or downloaded this file recently', /too many people/],
    ['<a href="https://accounts.google.com/ServiceLogin">Sign in</a>', /not shared/],
    ['<p>Something else</p>', /web page instead of the file/],
  ])('is refused with the meaning of "%s"', (words, meaning) => {
    expect(readSharePage(DIRECT, `<html>${words}</html>`)).toEqual({
      problem: expect.stringMatching(meaning),
    });
  });
});

test('reads a page in time linear to its size', async () => {
  for (const piece of ['<form ', '<form action="download">', '<input ', '<div>', 'href="?confirm=', '<!--']) {
    expect(readSharePage(DIRECT, piece.repeat(25_000))).not.toBeNull();
    await expectLinear(
      (page: string) => readSharePage(DIRECT, page),
      (count: number) => piece.repeat(count),
      25_000,
    );
  }
});

describe('a Dropbox link', () => {
  test.each([
    ['https://www.dropbox.com/s/abc123/clip.mp4?dl=0', 'https://www.dropbox.com/s/abc123/clip.mp4?dl=1'],
    ['https://www.dropbox.com/s/abc123/clip.mp4', 'https://www.dropbox.com/s/abc123/clip.mp4?dl=1'],
    [
      'https://www.dropbox.com/scl/fi/abc/clip.mp4?rlkey=k1&st=s1&dl=0',
      'https://www.dropbox.com/scl/fi/abc/clip.mp4?rlkey=k1&st=s1&dl=1',
    ],
    [
      'https://www.dropbox.com/scl/fi/abc/clip.mp4?rlkey=k1&e=1&raw=1',
      'https://www.dropbox.com/scl/fi/abc/clip.mp4?rlkey=k1&e=1&dl=1',
    ],
    ['http://dropbox.com/s/abc/clip.mp4?raw=1', 'https://www.dropbox.com/s/abc/clip.mp4?dl=1'],
    [
      'https://www.dropbox.com/scl/fo/abc/AKey_1/in/clip.mp4?rlkey=k1&dl=0',
      'https://www.dropbox.com/scl/fo/abc/AKey_1/in/clip.mp4?rlkey=k1&dl=1',
    ],
    [
      'https://www.dropbox.com/sh/abc/AKey/clip.mp4?dl=0',
      'https://www.dropbox.com/sh/abc/AKey/clip.mp4?dl=1',
    ],
  ])('%s', (link, url) => {
    expect(directLink(link)).toEqual({ url });
  });

  test.each([
    'https://www.dropbox.com/sh/abc/def?dl=0',
    'https://www.dropbox.com/scl/fo/abc/def?rlkey=k',
    'https://www.dropbox.com/scl/fo/abc/h?rlkey=k&preview=clip.mp4',
  ])('to a folder is refused: %s', link => {
    expect(directLink(link)).toEqual({ problem: expect.stringContaining('folder') });
  });

  test('to a file that is not shared is refused', () => {
    expect(readSharePage('https://www.dropbox.com/s/abc/x?dl=1', '<html>')).toEqual({
      problem: expect.stringContaining('not shared'),
    });
  });
});

describe('a shortened link to the page of a share link', () => {
  test.each([
    ['https://www.dropbox.com/s/abc/clip.mp4?dl=0', 'https://www.dropbox.com/s/abc/clip.mp4?dl=1'],
    [`https://drive.google.com/file/d/${ID}/view?usp=sharing`, DIRECT],
    [`https://drive.google.com/open?id=${ID}`, DIRECT],
  ])('is followed to the file: %s', (page, url) => {
    expect(readSharePage(page, '<html>Preview</html>')).toEqual({ url });
  });

  test('to a folder is refused', () => {
    const page = `https://drive.google.com/drive/folders/${ID}`;
    expect(readSharePage(page, '<html>')).toEqual({ problem: expect.stringContaining('folder') });
  });
});

test.each([
  'https://cdn.example.com/clip.mp4?dl=0',
  'https://dl.dropboxusercontent.com/s/abc/clip.mp4',
  'https://docs.google.com/constructor/d/abc/edit',
  'not a url',
])('returns any other link unchanged: %s', link => {
  expect(directLink(link)).toEqual({ url: link });
});

test('ignores a page of any other host', () => {
  expect(readSharePage('https://example.com/x', '<form action="/download">')).toBeNull();
});
