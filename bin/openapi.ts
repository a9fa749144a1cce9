import { writeFileSync } from 'node:fs';
import { documentText } from '../lib/docs.ts';

/* `npm run openapi`: writes the description of the API. A test holds the file current. */

writeFileSync(new URL('../docs/openapi.json', import.meta.url), documentText());
