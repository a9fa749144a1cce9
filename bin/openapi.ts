import { writeFileSync } from 'node:fs';
import { documentText } from '../lib/docs.ts';

/* `npm run openapi` writes the OpenAPI document. A test fails when the file is out of date. */

writeFileSync(new URL('../docs/openapi.json', import.meta.url), documentText());
