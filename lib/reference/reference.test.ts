import { describe, expect, test } from '@jest/globals';
import { ERROR_CODES } from '../../shared/http/error-codes.ts';
import { FAILURE_CODES } from '../../shared/model/failure.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { operations } from '../../test/support/openapi.ts';
import { documentOfAll } from '../docs.ts';
import { errorsPage } from './errors-page.ts';
import { inline, textOf } from './markdown.ts';
import { referencePage } from './page.ts';

const document = documentOfAll();
const page = referencePage(document);

describe('the reference', () => {
  test('shows every operation, and lists it in the navigation', () => {
    for (const { operation } of operations) {
      expect(page).toContain(`<section class="operation" id="${operation.operationId}"`);
      expect(page).toContain(`href="#${operation.operationId}"`);
    }
  });

  test('groups the fields of a post by platform', () => {
    const post = page.slice(page.indexOf('id="createPost"'), page.indexOf('id="listPosts"'));
    const groups = [...post.matchAll(/<details class="platform">\s*<summary>([^<]+) </g)].map(
      ([, name]) => name,
    );
    expect(groups).toEqual(PLATFORM_IDS.map(id => RULES[id].display_name));
  });

  test('has a form for every operation that takes no file', () => {
    const forms = [...page.matchAll(/<form\s+class="try"\s+data-method="(\w+)"\s+data-path="([^"]+)"/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const all = operations.map(({ method, path }) => `${method} ${path}`);
    expect(all.filter(each => !forms.includes(each))).toEqual(['POST /upload-media/file']);
  });

  test('loads nothing from other hosts and runs no inline script', () => {
    expect([...page.matchAll(/(?:src|<link[^>]+href)="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      'data:,',
      'docs/reference.css',
      'docs/reference.js',
    ]);
    expect(page).not.toMatch(/ on\w+="|style="/);
  });

  test('has each id once', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('escapes what descriptions contain', () => {
    expect(textOf(inline('a <b> `<i>` **<u>**'))).toBe(
      'a &lt;b&gt; <code>&lt;i&gt;</code> <strong>&lt;u&gt;</strong>',
    );
  });
});

test('the page of errors has a row for every code, with the statuses that operations document', () => {
  const errors = errorsPage(document);
  for (const code of Object.keys(ERROR_CODES)) {
    expect(errors).toMatch(
      new RegExp(`<tr id="${code}">\\s*<th scope="row"><code>${code}</code></th>\\s*<td>[45]\\d\\d`),
    );
  }
  for (const code of FAILURE_CODES) expect(errors).toContain(`<tr id="failure-${code}">`);
});
