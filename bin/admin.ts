import { enableCompileCache } from 'node:module';
import { COMPILE_CACHE } from '../local/compile-cache.ts';

// Before the rest is loaded: stripping types and compiling takes about a second of each command.
enableCompileCache(COMPILE_CACHE);

const { runCommand } = await import('./admin/run-command.ts');

/** `npm run admin -- <command> [--option value …]`: commands for the operator. */
try {
  console.log(await runCommand(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
