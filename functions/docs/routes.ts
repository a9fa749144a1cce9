import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Route } from '../../shared/http/route.ts';
import { assetAnswer, isAsset } from './assets.ts';

const OpenApi = v.looseObject({ openapi: v.literal('3.0.3') });

const describe = route({
  method: 'GET',
  path: '/openapi.json',
  operation_id: 'getDescription',
  summary: 'This document',
  tag: 'Description',
  auth: 'none',
  responses: { 200: { description: 'OpenAPI 3.0.3', schema: OpenApi, example: { openapi: '3.0.3' } } },
  handler: ({ headers }) => Promise.resolve(assetAnswer('openapi.json', headers['accept-encoding'])),
});

const showPage = route({
  method: 'GET',
  path: '/docs',
  operation_id: 'getDocs',
  summary: 'This document as a page',
  tag: 'Description',
  auth: 'none',
  responses: { 200: { description: 'A page that shows and tries the API', content_type: 'text/html' } },
  handler: ({ headers }) => Promise.resolve(assetAnswer('index.html', headers['accept-encoding'])),
});

const showPart = route({
  method: 'GET',
  path: '/docs/{file}',
  operation_id: 'getDocsFile',
  summary: 'A script or style of the page',
  tag: 'Description',
  auth: 'none',
  params: { file: v.string() },
  responses: {
    200: { description: 'The file', content_type: 'text/plain' },
    404: { description: 'No such file' },
  },
  handler: ({ params, headers }) => {
    if (!isAsset(params.file)) throw notFound();
    return Promise.resolve(assetAnswer(params.file, headers['accept-encoding']));
  },
});

/** Served by the fallback function, without a key. */
export const routes: readonly Route[] = [describe, showPage, showPart];
