import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allowedMethods } from '../shared/http/allowed-methods.ts';
import { servedApi, type ServedApi } from '../test/support/served-api.ts';
import { routes as posts } from './posts/routes.ts';
import { API_GROUPS } from './routes.ts';
import { routes as uploads } from './uploads/routes.ts';

describe('the methods of a path', () => {
  test.each([
    ['/posts', ['GET', 'POST']],
    ['/posts/0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e55', ['DELETE', 'GET', 'POST']],
    ['/posts/validate', ['POST']],
    ['/upload-media/presign', ['POST']],
    ['/nothing', []],
    ['/posts/', []],
  ])('%s are those of the template that names most of it', (path, methods) => {
    expect(allowedMethods(Object.values(API_GROUPS).flat(), path).sort()).toEqual(methods);
  });
});

describe('another method of a path that the gateway takes for an id', () => {
  let api: ServedApi;
  beforeAll(async () => void (api = await servedApi([...posts, ...uploads], { documented: false })));
  afterAll(() => api.close());

  test.each([
    ['GET', '/posts/validate'],
    ['DELETE', '/posts/validate'],
    ['GET', '/upload-media/presign'],
    ['DELETE', '/upload-media/confirm'],
    ['GET', '/upload-media/file'],
  ])('answers 405: %s %s', async (method, path) => {
    const { status, headers, body } = await api.call(method, path);
    expect([status, headers['allow'], body.error]).toEqual([405, 'POST', 'Method not allowed']);
  });

  test('answers 404 where it is no path of the API', async () => {
    expect((await api.call('GET', '/posts/other')).status).toBe(404);
  });
});
