import { join } from 'node:path';

/** Compiled code of earlier starts, for `enableCompileCache` of `node:module`. */
export const COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/compile');
