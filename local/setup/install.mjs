/**
 * Before every start and test: installs the packages of package-lock.json where they are missing or old. Plain
 * JavaScript without imports of packages, for the Node that a machine happens to have (20 or newer).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const MODULES = join(ROOT, 'node_modules');
/** Says for which lockfile node_modules was made. `npm ci` removes it together with the folder. */
const MARKER = join(MODULES, '.installed-for');
const OLDEST_NODE = 20;
const NODE_OF_THE_SERVICE = 24;

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
const major = version => Number(version.replace(/^v/, '').split('.')[0]);

function fail(message) {
  console.error(`\n${message}\n`);
  process.exit(1);
}

function isInstalled() {
  return existsSync(MARKER) && readFileSync(MARKER, 'utf8') === lockHash();
}

/** A folder that npm itself made from this lockfile, by hand or in CI, needs no second installation. */
function wasInstalledByNpm() {
  const own = join(MODULES, '.package-lock.json');
  if (!existsSync(own)) return false;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(own, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || (present[path] ? present[path].version === version : optional || devOptional),
  );
}

async function install() {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const tell = text => process.stderr.write(process.stderr.isTTY ? `\r${text}` : `${text}\n`);
  const text = () => `Installing packages, which happens once … ${seconds()} s`;
  tell(text());
  const timer = setInterval(() => tell(text()), process.stderr.isTTY ? 1000 : 15_000);
  const { code, output } = await npmCi();
  clearInterval(timer);
  tell(code === 0 ? `Packages installed in ${seconds()} s.           \n` : '\n');
  if (code !== 0) {
    fail(
      `The packages could not be installed ('npm ci' ended with ${code}):\n\n${output.trim()}\n\n` +
        'Is the npm registry reachable? Behind a proxy: npm config set proxy http://…',
    );
  }
}

function npmCi() {
  // npm tells its scripts where it is; without that, it is found on the PATH.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const child = spawn(command, [...args, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    // Layers are for Lambda's machine.
    env: { ...process.env, SKIP_LAYERS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: !npm && process.platform === 'win32',
  });
  let output = '';
  const keep = chunk => (output = (output + chunk).slice(-4000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise(resolve => {
    child.once('error', error => resolve({ code: 1, output: error.message }));
    child.once('close', code => resolve({ code, output }));
  });
}

/** npm scripts find `node_modules/.bin/node` first. Where there is no such package, the machine's own Node must do. */
function checkNode() {
  const brought = ['node', 'node.exe', 'node.cmd'].some(name => existsSync(join(MODULES, '.bin', name)));
  if (brought || major(process.version) >= NODE_OF_THE_SERVICE) return;
  fail(
    `This needs Node.js ${NODE_OF_THE_SERVICE}, the version that the functions run on. Yours is ${process.version}, and ` +
      `there is no npm package of it for ${process.platform}-${process.arch}. Get it from https://nodejs.org`,
  );
}

if (major(process.version) < OLDEST_NODE) {
  fail(
    `This needs Node.js ${OLDEST_NODE} or newer; yours is ${process.version}. Get it from https://nodejs.org`,
  );
}
if (!isInstalled()) {
  if (!wasInstalledByNpm()) await install();
  writeFileSync(MARKER, lockHash());
}
checkNode();
