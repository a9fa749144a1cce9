import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Asset } from '../functions/docs/assets.ts';
import { API_GROUPS } from '../functions/routes.ts';
import { openApiDocument, type OpenApiDocument } from './openapi/document.ts';

const PAGE = join(import.meta.dirname, '..', 'functions', 'docs', 'page');
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Returns the OpenAPI document of all endpoints. */
export function documentOfAll(): OpenApiDocument {
  return openApiDocument(Object.values(API_GROUPS).flat());
}

/** Returns the content of `docs/openapi.json`. */
export const documentText = () => `${JSON.stringify(documentOfAll(), null, 2)}\n`;

/** Returns the files that the docs function serves: the OpenAPI document, the page and Swagger UI. */
export function docsAssets(): Record<Asset, Buffer> {
  return {
    'openapi.json': Buffer.from(JSON.stringify(documentOfAll())),
    'index.html': readFileSync(join(PAGE, 'index.html')),
    'start.js': readFileSync(join(PAGE, 'start.js')),
    'swagger-ui-bundle.js': readFileSync(join(VIEWER, 'swagger-ui-bundle.js')),
    'swagger-ui.css': readFileSync(join(VIEWER, 'swagger-ui.css')),
  };
}
