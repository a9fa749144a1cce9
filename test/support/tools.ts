import { spawnSync } from 'node:child_process';
import { test } from '@jest/globals';

/** Version option of programs that do not have `--version`. */
const VERSION: Readonly<Record<string, string>> = { ffmpeg: '-version', go: 'version', openssl: 'version' };

/** Returns `test` if the program is installed, otherwise `test.skip` after printing the reason. */
export function testWith(command: string): typeof test | typeof test.skip {
  const runs = spawnSync(command, [VERSION[command] ?? '--version'], { stdio: 'ignore' }).status === 0;
  if (runs) return test;
  process.stdout.write(`Skipped a test that needs ${command}, which is not installed.\n`);
  return test.skip;
}
