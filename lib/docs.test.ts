import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_GROUPS } from '../functions/routes.ts';
import { EVENT_KINDS } from '../shared/model/event.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { fits, flat, operations } from '../test/support/openapi.ts';
import { documentOfAll, documentText } from './docs.ts';
import type { Media, ResponseObject } from './openapi/media.ts';

const ROOT = join(import.meta.dirname, '..');
const document = documentOfAll();
const names = operations.map(({ method, path }) => `${method} ${path}`);
const rows = operations.map(({ method, path, operation }) => ({ name: `${method} ${path}`, operation }));

const resolved = (response: ResponseObject | { $ref: string }): ResponseObject =>
  '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1)!]! : response;

test('docs/openapi.json is current (npm run openapi updates it)', () => {
  const file = readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8');
  expect(file === documentText()).toBe(true);
});

test('the document passes the OpenAPI linter', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', '--format=stylish'],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  );
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
});

describe('the OpenAPI document', () => {
  test('uses OpenAPI 3.0.3 and has version 1.0.0', () => {
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' } });
  });

  test('describes every route of the API exactly once, and none of its own', () => {
    const routes = Object.values(API_GROUPS)
      .flat()
      .map(({ method, path }) => `${method} ${path}`);
    expect(names.toSorted()).toEqual(routes.toSorted());
    expect(new Set(names).size).toBe(names.length);
  });

  test('gives every operation a unique id and a described tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    const untagged = operations.filter(({ operation }) => !tags.has(operation.tags[0]!));
    expect(untagged.map(({ path }) => path)).toEqual([]);
  });

  test('names every operation by a verb of its method and what it acts on', () => {
    const verbs: Record<string, RegExp> = {
      GET: /^(list|get)[A-Z]/,
      PUT: /^replace[A-Z]/,
      PATCH: /^update[A-Z]/,
      DELETE: /^(delete|remove|revoke|disconnect)[A-Z]/,
      POST: /^(?!list|get|replace|delete|put|patch|post)[a-z]+[A-Z]/,
    };
    const wrong = operations.filter(({ method, operation }) => !verbs[method]!.test(operation.operationId));
    expect(wrong.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  test('has a named schema for every body and every response', () => {
    const bodies = operations.flatMap(({ operation }) => [
      ...jsonOf(operation.requestBody?.content),
      ...Object.values(operation.responses).flatMap(response => jsonOf(resolved(response).content)),
    ]);
    const unnamed = bodies
      .flatMap(({ schema }) => schema.anyOf ?? [schema])
      .filter(each => each.$ref === undefined);
    expect(unnamed).toEqual([]);
  });

  test('describes every schema, field, parameter and operation', () => {
    expect([...undescribed(document.components.schemas, '')]).toEqual([]);
    const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []);
    expect(parameters.filter(each => 'name' in each && each.description === '')).toEqual([]);
    expect(operations.filter(({ operation }) => operation.description === '')).toEqual([]);
  });

  test('lists the platforms of a post as an enum', () => {
    const { properties } = flat({ $ref: '#/components/schemas/CreatePostRequest' });
    expect(properties!['platforms']!.items).toEqual({ $ref: '#/components/schemas/Platform' });
    expect(document.components.schemas['Platform']).toMatchObject({ type: 'string', enum: PLATFORM_IDS });
  });

  test('has no empty list of required fields, which OpenAPI 3.0 forbids', () => {
    expect(documentText()).not.toMatch(/"required": \[\]/);
  });

  test('describes the body of every event', () => {
    expect(Object.keys(document['x-webhooks'])).toEqual(EVENT_KINDS);
  });
});

test.each(rows)('$name has a schema and valid examples for the body of each response', ({ operation }) => {
  for (const [status, response] of Object.entries(operation.responses)) {
    const { content } = resolved(response);
    if (['204', '302'].includes(status)) expect(content).toBeUndefined();
    else expect({ status, content }).toEqual({ status, content: expect.any(Object) });
    for (const media of jsonOf(content)) {
      expect(examplesOf(media).length).toBeGreaterThan(0);
      for (const example of examplesOf(media))
        expect({ status, fits: fits(media.schema, example) }).toEqual({ status, fits: true });
    }
  }
});

test.each(rows.filter(({ operation }) => operation.requestBody))(
  '$name has a valid example of its request body',
  ({ operation }) => {
    for (const { schema, example } of jsonOf(operation.requestBody!.content)) {
      expect(example).toBeDefined();
      expect(fits(schema, example)).toBe(true);
    }
  },
);

test.each(rows.filter(({ operation }) => !operation.security))(
  '$name requires an API key and documents the errors of authentication and rate limit',
  ({ operation }) => {
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500']));
  },
);

const jsonOf = (content: Record<string, Media> | undefined): Media[] =>
  Object.entries(content ?? {}).flatMap(([type, media]) => (type === 'application/json' ? [media] : []));

const examplesOf = ({ example, examples }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples ?? {}).map(({ value }) => value),
];

/** Paths of the schemas and fields without a description; a reference is described by what it refers to. */
function* undescribed(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value) as [string, Record<string, unknown>][]) {
    const isNamed = path === '' || path.endsWith('.properties');
    if (isNamed && inner['description'] === undefined && inner['$ref'] === undefined) yield `${path}.${name}`;
    if (!['enum', 'example', 'default'].includes(name)) yield* undescribed(inner, `${path}.${name}`);
  }
}
