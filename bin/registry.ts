import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REGISTRY_FOLDER, renderRegistry } from './registry/render.ts';

/** Writes the modules of `shared/platforms/registry/`: `npm run registry`. */
mkdirSync(REGISTRY_FOLDER, { recursive: true });
for (const [file, code] of Object.entries(await renderRegistry())) {
  writeFileSync(join(REGISTRY_FOLDER, file), code);
}
