import { expect, test } from '@jest/globals';
import { worseThan } from './compare.ts';
import { rowsOf, withSection, type Section } from './document.ts';
import { less, more } from './value.ts';

const BENCHES = ['speed', 'size'];

async function documentOf(...sections: Section[]): Promise<string> {
  let document = '';
  for (const section of sections) document = await withSection(document, section, BENCHES);
  return document;
}

const speed = (milliseconds: number, rate: number): Section => ({
  bench: 'speed',
  summary: 'how fast it is',
  measured: 'Measured on 2026-12-01.',
  results: [
    {
      title: 'One post',
      values: { p50: less(milliseconds, 'ms'), rate: more(rate, 'a second', 1), of: 'a | b' },
    },
  ],
});
const size: Section = {
  bench: 'size',
  summary: 'how large it is',
  measured: 'Measured on 2026-12-02.',
  results: [{ title: 'Bundles', values: { posts: less(1250, 'kB') } }],
};

test('the document has a section for each benchmark, in their order', async () => {
  const document = await documentOf(size, speed(20, 30));
  expect(document.match(/^##? .+$/gm)).toEqual(['# Benchmarks', '## speed', '## size']);
  expect(document).toContain('How fast it is. Measured on 2026-12-01.');
  expect(rowsOf(document)).toEqual([
    { bench: 'speed', title: 'One post', name: 'p50', value: '20 ms' },
    { bench: 'speed', title: 'One post', name: 'rate', value: '30.0 a second' },
    { bench: 'speed', title: 'One post', name: 'of', value: 'a | b' },
    { bench: 'size', title: 'Bundles', name: 'posts', value: '1250 kB' },
  ]);
});

test('a section replaces that of the same benchmark only', async () => {
  const first = await documentOf(size, speed(20, 30));
  const second = await withSection(first, speed(25, 30), BENCHES);
  expect(rowsOf(second)).toEqual(
    rowsOf(first).map(row => (row.name === 'p50' ? { ...row, value: '25 ms' } : row)),
  );
});

test('what is more than a tenth worse than in an earlier document is listed', async () => {
  const earlier = await documentOf(speed(20, 30));
  const names = (...now: [number, number]) => worseThan(earlier, [speed(...now), size]);
  expect(names(22, 27)).toEqual([]);
  expect(names(10, 60)).toEqual([]);
  expect(names(23, 26)).toEqual([
    { bench: 'speed', measured: 'One post: p50', before: '20 ms', now: '23 ms' },
    { bench: 'speed', measured: 'One post: rate', before: '30.0 a second', now: '26.0 a second' },
  ]);
});
