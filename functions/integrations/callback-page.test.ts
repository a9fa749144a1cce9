import { expect, test } from '@jest/globals';
import { callbackPage, isBrowser } from './callback-page.ts';

test('the page shows texts of platforms as text', () => {
  const page = callbackPage({ title: 'X & Co', text: '<script>alert("1")</script>' }).toString();
  expect(page).toContain('<h1>X &#38; Co</h1>');
  expect(page).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;');
  expect(page).not.toContain('<script>');
});

test.each([
  ['text/html,application/xhtml+xml,*/*;q=0.8', true],
  ['application/json', false],
  ['*/*', false],
])('a request that accepts %s is from a browser: %s', (accept, expected) => {
  expect(isBrowser({ accept })).toBe(expected);
});
