import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { route } from './define-route.ts';

/*
 * The compiler checks these: each `@ts-expect-error` is an error of `npm run typecheck` if the line below it compiles.
 */

const Thing = v.object({
  id: v.string(),
  size: v.nullable(v.number()),
  kind: v.picklist(['small', 'large']),
  note: v.exactOptional(v.string()),
  parts: v.array(v.object({ name: v.string() })),
});
const thing = { id: '1', size: null, kind: 'small', parts: [{ name: 'a' }] } as const;

const base = {
  method: 'GET',
  path: '/things',
  operation_id: 'listThings',
  summary: 'Things',
  tag: 'Things',
  auth: 'key',
} as const;
const one = { 200: { description: 'A thing', schema: v.object({ thing: Thing }) } };
const several = {
  200: { description: 'Done', schema: v.object({ done: v.boolean() }) },
  202: { description: 'Accepted', schema: v.object({ job_id: v.string() }) },
  204: { description: 'Nothing to do' },
  400: { description: 'Failed', schema: v.object({ reason: v.string() }) },
  409: { description: 'Thrown' },
};
const file = { 200: { description: 'A file', content_type: 'text/plain' } };

const returns =
  <const T>(response: T) =>
  () =>
    Promise.resolve(response);

describe('a handler compiles', () => {
  test('when it returns what the route documents', () => {
    const routes = [
      route({ ...base, responses: one, handler: returns({ status: 200, body: { thing } }) }),
      route({
        ...base,
        responses: one,
        handler: returns({ status: 200, body: { thing: { ...thing, note: 'new' } }, headers: { etag: '1' } }),
      }),
      route({
        ...base,
        responses: several,
        handler: async ({ request_id }) => {
          await Promise.resolve();
          if (request_id === '1') return { status: 202, body: { job_id: request_id } };
          if (request_id === '2') return { status: 400, body: { reason: 'none' } };
          return request_id === '3' ? { status: 204 } : { status: 200, body: { done: true } };
        },
      }),
      route({ ...base, responses: file, handler: returns({ status: 200, raw: new Uint8Array() }) }),
    ];
    expect(routes).toHaveLength(4);
  });
});

describe('a handler does not compile', () => {
  test('when it returns a status that the route does not document', () => {
    // @ts-expect-error -- 201 is not documented
    route({ ...base, responses: one, handler: returns({ status: 201, body: { thing } }) });
    // @ts-expect-error -- an error without a schema of its own is thrown
    route({ ...base, responses: several, handler: returns({ status: 409, body: { error: 'x' } }) });
  });

  test('when a field is missing', () => {
    const incomplete = { id: '1', size: null, parts: [] };
    // @ts-expect-error -- no kind
    route({ ...base, responses: one, handler: returns({ status: 200, body: { thing: incomplete } }) });
    // @ts-expect-error -- no body
    route({ ...base, responses: one, handler: returns({ status: 200 }) });
  });

  test('when a field has another type', () => {
    const wrong = { ...thing, size: '1' };
    // @ts-expect-error -- size is a number or null
    route({ ...base, responses: one, handler: returns({ status: 200, body: { thing: wrong } }) });
    const other = { ...thing, kind: 'medium' as const };
    // @ts-expect-error -- kind is small or large
    route({ ...base, responses: one, handler: returns({ status: 200, body: { thing: other } }) });
    // @ts-expect-error -- the body of another status
    route({ ...base, responses: several, handler: returns({ status: 202, body: { done: true } }) });
  });

  test('when there is an extra field, at any depth', () => {
    // @ts-expect-error -- body.more
    route({ ...base, responses: one, handler: returns({ status: 200, body: { thing, more: 1 } }) });
    const secret = { ...thing, secret: 'x' };
    // @ts-expect-error -- body.thing.secret
    route({ ...base, responses: one, handler: returns({ status: 200, body: { thing: secret } }) });
    const deep = { ...thing, parts: [{ name: 'a', secret: 'x' }] };
    // @ts-expect-error -- body.thing.parts[].secret
    route({ ...base, responses: one, handler: returns({ status: 200, body: { thing: deep } }) });
    // @ts-expect-error -- 204 has no body
    route({ ...base, responses: several, handler: returns({ status: 204, body: {} }) });
  });

  test('when it returns JSON where the route documents a file', () => {
    // @ts-expect-error -- raw is missing
    route({ ...base, responses: file, handler: returns({ status: 200, body: 'text' }) });
  });
});
