/**
 * Puts the image library for Lambda's machine (linux/arm64, whatever this machine is) into the layer that publishers
 * get: `npm run layers`, and after every install. A failure is told in a line and breaks nothing: only a deployment
 * needs the layer, and it says so when the layer is missing. Plain JavaScript: it runs on the Node of the machine.
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

// The local stack never loads a layer: its installer sets SKIP_LAYERS.
if (present !== wanted && process.env.SKIP_LAYERS !== '1') {
  const { status, stderr } = spawnSync('npm', NPM_CI, {
    cwd: FOLDER,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 120_000,
  });
  if (status !== 0) {
    const reason = (stderr ?? '').trim().split('\n')[0] || 'npm did not finish';
    console.warn(`The image layer is not installed (${reason}). Deploying needs it: npm run layers`);
  }
}
