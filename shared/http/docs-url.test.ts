import { expect, test } from '@jest/globals';
import { withDocsUrl } from './docs-url.ts';

const BASE = 'https://api.example.com/v1';
const urlOf = (body: unknown) => withDocsUrl({ status: 409, body }, BASE).body;

test('an error with a code links to the row of the code', () => {
  expect(urlOf({ error: 'No', code: 'POST_CHANGED', status: 'scheduled' })).toEqual({
    error: 'No',
    code: 'POST_CHANGED',
    status: 'scheduled',
    docs_url: 'https://api.example.com/v1/docs/errors#POST_CHANGED',
  });
});

test.each([
  ['without a code', { error: 'Not found' }],
  ['whose fields the interface fixes', { error: 'No', code: 'PLATFORM_RATE_LIMIT', retry_after: 1 }],
  ['with a code that is not documented', { error: 'No', code: 'SOMETHING' }],
  ['without a body', undefined],
])('an error %s is left as it is', (_, body) => {
  expect(urlOf(body)).toBe(body);
});
