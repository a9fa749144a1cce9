import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS_FOLDER, renderRegistry } from './registry/render.ts';

/** Writes `registry.ts`, `publishers.ts` and `sandboxes.ts` of `shared/platforms/`: `npm run registry`. */
for (const [file, code] of Object.entries(await renderRegistry())) {
  writeFileSync(join(PLATFORMS_FOLDER, file), code);
}
