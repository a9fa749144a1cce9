import { describe, expect, test } from '@jest/globals';
import { expectLinear } from '../../test/support/growth.ts';
import { readHtml } from './html.ts';

function events(html: string) {
  const seen: unknown[] = [];
  readHtml(html, {
    startTag: (name, attributes) => void seen.push([name, Object.fromEntries(attributes)]),
    text: (text, parent) => void seen.push(parent === null ? text : `${parent}: ${text}`),
    endTag: name => void seen.push(`/${name}`),
    declaration: text => void seen.push(text),
  });
  return seen;
}

describe('the HTML reader', () => {
  test('reports tags, attributes and text with decoded entities', () => {
    expect(
      events('<!DOCTYPE html><TITLE>A &amp; B</TITLE><meta content="&quot;x&#x41;" NAME=y /><p hidden>'),
    ).toEqual([
      'DOCTYPE html',
      ['title', {}],
      'title: A ',
      'title: &',
      'title:  B',
      '/title',
      ['meta', { content: '"xA', name: 'y' }],
      ['p', { hidden: '' }],
    ]);
  });

  test('keeps the first of two attributes with one name', () => {
    expect(events('<a href="1" HREF="2">')).toEqual([['a', { href: '1' }]]);
  });

  test('reports no contents of scripts, styles and comments', () => {
    expect(events('<script><p>"</script><style>p{}</style><!-- <p> -->')).toEqual([
      ['script', {}],
      '/script',
      ['style', {}],
      '/style',
    ]);
  });

  test('stops when the visitor returns false', () => {
    const names: string[] = [];
    readHtml('<a><b><c>', { startTag: name => names.push(name) < 2 });
    expect(names).toEqual(['a', 'b']);
  });

  test.each(['<div>', '<a b="c">', '<a ', '<!--', '&amp', '<title>', '</', '<a b=', "<a '"])(
    'takes time linear to the number of repetitions of %s',
    async piece => {
      await expectLinear(
        (html: string) => readHtml(html, {}),
        count => piece.repeat(count),
        50_000,
      );
    },
  );
});
