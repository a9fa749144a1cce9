import { buildSync } from 'esbuild';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { bundleFunctions, functionNames } from '../../lib/bundle.ts';
import { BOOT, bundleFolder, ROOT, WORKER } from '../../lib/dist.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { bundleWorker } from '../../lib/worker-bundle.ts';
import project from '../../package.json' with { type: 'json' };

const ENTRY = 'lib/social-publishing';
/** Sources whose types users of the construct see. */
const TYPED = [ENTRY, `${ENTRY}-props`];

/** What the package has of an app: there must be one instance of each, the app's. */
const PEERS = ['aws-cdk-lib', 'constructs'] as const;

/**
 * Writes the construct as a package of npm into an empty folder: compiled code and types, the bundles of the functions, and the
 * layers as far as they are installed. Its folders are those of the project, so that the code finds bundles and layers.
 */
export function writePackage(folder: string): void {
  writeCode(folder);
  for (const [path, text] of Object.entries({ ...declarations(), 'package.json': manifest() })) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  bundleFunctions();
  bundleWorker();
  const bundles = [...functionNames(), WORKER].map(bundleFolder);
  const copied = [...bundles, BOOT, join(ROOT, 'lib', 'layers'), join(ROOT, 'LICENSE')];
  for (const path of copied) cpSync(path, path.replace(ROOT, folder), { recursive: true });
  cpSync(join(ROOT, 'docs', 'construct.md'), join(folder, 'README.md'));
}

/** CommonJS, which apps of both kinds load. */
function writeCode(folder: string): void {
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: [{ in: `${ENTRY}.ts`, out: ENTRY }],
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    external: [...PEERS, 'sharp'],
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'warning',
  });
}

/** Returns the declaration files by path. The ids of platforms are written out: their schema would need its library. */
function declarations(): Record<string, string> {
  const files = TYPED.map((path): [string, string] => [`${path}.d.ts`, declarationOf(`${path}.ts`)]);
  const ids = PLATFORM_IDS.map(id => `'${id}'`).join(' | ');
  return { ...Object.fromEntries(files), 'shared/model/platform.d.ts': `export type PlatformId = ${ids};\n` };
}

function declarationOf(fileName: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(
    readFileSync(join(ROOT, fileName), 'utf8'),
    { fileName, reportDiagnostics: true, compilerOptions: { isolatedDeclarations: true } },
  );
  const [problem] = diagnostics;
  if (problem) throw new Error(`${fileName}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  return outputText;
}

function manifest(): string {
  const { name, version, description, license, devDependencies } = project;
  const types = `./${ENTRY}.d.ts`;
  const main = `./${ENTRY}.js`;
  const peerDependencies = Object.fromEntries(PEERS.map(peer => [peer, `^${devDependencies[peer]}`]));
  const exports = { '.': { types, default: main } };
  const fields = {
    name,
    version,
    description,
    license,
    type: 'commonjs',
    main,
    types,
    exports,
    peerDependencies,
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}
