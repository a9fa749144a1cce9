import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Asset } from '../functions/docs/assets.ts';
import { API_GROUPS } from '../functions/routes.ts';
import { openApiDocument, type OpenApiDocument } from './openapi/document.ts';
import { errorsPage } from './reference/errors-page.ts';
import { referencePage } from './reference/page.ts';

const PAGE = join(import.meta.dirname, '..', 'functions', 'docs', 'page');

/** Returns the OpenAPI document of all endpoints. */
export function documentOfAll(): OpenApiDocument {
  return openApiDocument(Object.values(API_GROUPS).flat());
}

/** Returns the content of `docs/openapi.json`. */
export const documentText = () => `${JSON.stringify(documentOfAll(), null, 2)}\n`;

/** Returns the files that the docs function serves: the OpenAPI document and the pages made from it. */
export function docsAssets(): Record<Asset, Buffer> {
  const document = documentOfAll();
  return {
    'openapi.json': Buffer.from(JSON.stringify(document)),
    'index.html': Buffer.from(referencePage(document)),
    errors: Buffer.from(errorsPage(document)),
    'reference.js': readFileSync(join(PAGE, 'reference.js')),
    'reference.css': readFileSync(join(PAGE, 'reference.css')),
  };
}
