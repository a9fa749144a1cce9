import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformsPage } from './docs/platforms.ts';

/** Writes the pages of `docs/` that follow from the code: `npm run docs`. */
writeFileSync(join(import.meta.dirname, '..', 'docs', 'platforms.md'), await platformsPage());
