/**
 * Installs the image library for linux/arm64 into the layer of the publishers: `npm run layers`, and after every
 * install. A failure is only a warning: nothing but a deployment needs the layer, and `cdk deploy` fails without it.
 * Plain JavaScript, because it runs on the Node.js of the machine.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../lib/layers/sharp/nodejs', import.meta.url));
const NPM_CI = ['ci', '--os=linux', '--cpu=arm64', '--libc=glibc', '--ignore-scripts', '--loglevel=error'];

const json = path => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const wanted = json(join(FOLDER, 'package.json')).dependencies.sharp;
const present = json(join(FOLDER, 'node_modules', '@img', 'sharp-linux-arm64', 'package.json')).version;

// The local stack does not load layers: its installer sets SKIP_LAYERS.
if (present !== wanted && process.env.SKIP_LAYERS !== '1') {
  const { status, stderr } = spawnSync('npm', NPM_CI, {
    cwd: FOLDER,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 120_000,
  });
  if (status !== 0) {
    const reason = (stderr ?? '').trim().split('\n')[0] || 'npm timed out';
    console.warn(`Could not install the image layer (${reason}). Before deploying, run: npm run layers`);
  }
}
