import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Route } from '../../shared/http/route.ts';
import { assetResponse, isAsset } from './assets.ts';

const OpenApiDocument = v.looseObject({ openapi: v.literal('3.0.3') });

const getDescription = route({
  method: 'GET',
  path: '/openapi.json',
  operation_id: 'getDescription',
  summary: 'Get this OpenAPI document',
  tag: 'Description',
  auth: 'none',
  responses: {
    200: {
      description: 'The OpenAPI 3.0.3 document of this API',
      content_type: 'application/json',
      schema: OpenApiDocument,
      example: { openapi: '3.0.3' },
    },
  },
  handler: ({ headers }) => Promise.resolve(assetResponse('openapi.json', headers['accept-encoding'])),
});

const getDocs = route({
  method: 'GET',
  path: '/docs',
  operation_id: 'getDocs',
  summary: 'Show this document as an HTML page',
  tag: 'Description',
  auth: 'none',
  responses: { 200: { description: 'An HTML page to read and try the API', content_type: 'text/html' } },
  handler: ({ headers }) => Promise.resolve(assetResponse('index.html', headers['accept-encoding'])),
});

const getDocsFile = route({
  method: 'GET',
  path: '/docs/{file}',
  operation_id: 'getDocsFile',
  summary: 'Get a script or stylesheet of the documentation page',
  tag: 'Description',
  auth: 'none',
  params: { file: v.string() },
  responses: {
    200: { description: 'The file', content_type: 'text/plain' },
    404: { description: 'No such file' },
  },
  handler: ({ params, headers }) => {
    if (!isAsset(params.file)) throw notFound();
    return Promise.resolve(assetResponse(params.file, headers['accept-encoding']));
  },
});

/** Served by the fallback function without an API key. */
export const routes: readonly Route[] = [getDescription, getDocs, getDocsFile];
