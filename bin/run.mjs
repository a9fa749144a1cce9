// Plain JavaScript that old versions of Node.js can run: `node bin/run.mjs <name> …` runs bin/<name>.ts.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const INSTALLED = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const isOld = version => Number(version.split('.')[0]) < NEEDED;

if (!isOld(process.versions.node)) {
  const [name] = process.argv.slice(2);
  process.argv.splice(1, 2, fileURLToPath(new URL(`${name}.ts`, import.meta.url)));
  await import(`./${name}.ts`);
} else if (existsSync(INSTALLED) && process.execPath !== INSTALLED && !process.env.NODE_OF_PROJECT) {
  const env = { ...process.env, NODE_OF_PROJECT: '1' };
  process.exitCode = spawnSync(INSTALLED, process.argv.slice(1), { stdio: 'inherit', env }).status ?? 1;
} else {
  console.error(
    `This needs Node.js ${NEEDED} or newer, but ${process.execPath} is ${process.version}. On Linux and Windows, ` +
      '`npm ci` installs it; on macOS, run `brew install node@24` and put it first in PATH.',
  );
  process.exitCode = 1;
}
