import { enableCompileCache } from 'node:module';
import { COMPILE_CACHE } from '../local/compile-cache.ts';

// Before the rest is loaded: stripping types and compiling takes about a second of each start.
enableCompileCache(COMPILE_CACHE);

// `npm start` keeps the space of new objects small (--max-semi-space-size), which saves 100 MB under load.
const { main } = await import('../local/main.ts');
await main(process.argv.slice(2));
