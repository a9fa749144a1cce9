/**
 * Runs before every start and test: installs the packages of package-lock.json if they are missing or outdated. Plain
 * JavaScript without package imports, to run on any Node.js from version 20.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const MODULES = join(ROOT, 'node_modules');
/** Holds the hash of the lockfile that node_modules was installed from. `npm ci` deletes it with the folder. */
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

/** Whether npm has already installed this lockfile, for example in CI. */
function wasInstalledByNpm() {
  const own = join(MODULES, '.package-lock.json');
  if (!existsSync(own)) return false;
  const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(own, 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional || devOptional),
  );
}

async function install() {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const print = text => process.stderr.write(process.stderr.isTTY ? `\r${text}` : `${text}\n`);
  const text = () => `Installing packages (first start only) … ${seconds()} s`;
  print(text());
  const timer = setInterval(() => print(text()), process.stderr.isTTY ? 1000 : 15_000);
  const { code, output } = await npmCi();
  clearInterval(timer);
  print(code === 0 ? `Packages installed in ${seconds()} s.           \n` : '\n');
  if (code !== 0) {
    fail(
      `Could not install the packages ('npm ci' exited with ${code}):\n\n${output.trim()}\n\n` +
        'Check that the npm registry is reachable. Behind a proxy, run: npm config set proxy http://…',
    );
  }
}

function npmCi() {
  // npm passes its path to scripts; otherwise it is on the PATH.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const child = spawn(command, [...args, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    // Layers are built for Lambda's platform.
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

/** npm scripts use `node_modules/.bin/node` if there is a package of it for this platform, else the installed Node.js. */
function checkNode() {
  const isPackaged = ['node', 'node.exe', 'node.cmd'].some(name => existsSync(join(MODULES, '.bin', name)));
  if (isPackaged || major(process.version) >= NODE_OF_THE_SERVICE) return;
  fail(
    `Node.js ${NODE_OF_THE_SERVICE} or newer is required, but this is ${process.version}, and there is no npm package of ` +
      `Node.js for ${process.platform}-${process.arch}. Install it from https://nodejs.org`,
  );
}

if (major(process.version) < OLDEST_NODE) {
  fail(
    `Node.js ${OLDEST_NODE} or newer is required, but this is ${process.version}. Install it from https://nodejs.org`,
  );
}
if (!isInstalled()) {
  if (!wasInstalledByNpm()) await install();
  writeFileSync(MARKER, lockHash());
}
checkNode();
