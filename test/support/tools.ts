import { spawnSync } from 'node:child_process';
import { test } from '@jest/globals';

/** How a program is asked for its version, where that is not `--version`. */
const VERSION: Readonly<Record<string, string>> = { ffmpeg: '-version', go: 'version', openssl: 'version' };

/** `test` where the program runs on this machine; else one that is skipped, with the reason on the terminal. */
export function testWith(command: string): typeof test | typeof test.skip {
  const runs = spawnSync(command, [VERSION[command] ?? '--version'], { stdio: 'ignore' }).status === 0;
  if (runs) return test;
  process.stdout.write(`Skipped a test that needs ${command}, which does not run on this machine.\n`);
  return test.skip;
}
