/**
 * Installs what is compiled for AWS's machines, linux/arm64, into `lib/layers/`: `npm run layers`. With the argument
 * `--functions`, after every install, only the image library of the publishers: the media library of the stream worker is a
 * download of 60 MB that nothing but a deployment needs. A failure is only a warning: `cdk deploy` fails without them.
 * Plain JavaScript, because it runs on the Node.js of the machine.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../lib/layers', import.meta.url));
const NPM_CI = ['ci', '--os=linux', '--cpu=arm64', '--libc=glibc', '--ignore-scripts', '--loglevel=error'];

/** Folder, and the package whose presence shows that the layer is installed. */
const LAYERS = {
  sharp: { folder: join(FOLDER, 'sharp', 'nodejs'), compiled: '@img/sharp-linux-arm64' },
  broadcaster: { folder: join(FOLDER, 'broadcaster'), compiled: '@seydx/node-av-linux-arm64' },
};

const json = path => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});

function isInstalled({ folder, compiled }) {
  const locked = json(join(folder, 'package-lock.json')).packages[`node_modules/${compiled}`].version;
  return json(join(folder, 'node_modules', compiled, 'package.json')).version === locked;
}

function install(name, { folder }) {
  const { status, stderr } = spawnSync('npm', NPM_CI, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 180_000,
  });
  if (status === 0) return;
  const reason = (stderr ?? '').trim().split('\n')[0] || 'npm timed out';
  console.warn(`Could not install lib/layers/${name} (${reason}). Before deploying, run: npm run layers`);
}

const { sharp } = LAYERS;
const wanted = process.argv.includes('--functions') ? { sharp } : LAYERS;
// The local stack does not load layers: its installer sets SKIP_LAYERS.
if (process.env.SKIP_LAYERS !== '1') {
  for (const [name, layer] of Object.entries(wanted)) if (!isInstalled(layer)) install(name, layer);
}
