import { createRequire } from 'node:module';

/**
 * Stands for `sharp` in the bundles of functions (`lib/bundle.ts`): native code for Lambda's machine comes from a layer, and
 * Lambda finds layers through NODE_PATH, which only `require` reads.
 */
const sharp: unknown = createRequire(import.meta.url)('sharp');

export default sharp;
