import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundleFunctions } from '../../lib/bundle.ts';
import { report, type Bench } from './bench.ts';

const BUNDLE = fileURLToPath(new URL('../../dist/ai/index.js', import.meta.url));
const RUNS = 11;
const PROGRAM = `const begun = performance.now(); require(${JSON.stringify(BUNDLE)}); console.log(performance.now() - begun)`;

/** What a cold start of the AI function loads, and how long this machine takes for it. */
export const ai: Bench = {
  name: 'ai',
  run: () => {
    bundleFunctions();
    const bytes = readFileSync(BUNDLE);
    const loads = Array.from({ length: RUNS }, load).sort((a, b) => a - b);
    report('The AI function', {
      'bundle (minified, gzipped)': `${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)}`,
      [`cold load, median of ${RUNS} processes`]: `${Math.round(loads[RUNS >> 1] ?? 0)} ms`,
    });
    return Promise.resolve();
  },
};

/** In a process of its own, where nothing of it is loaded yet. */
function load(): number {
  return Number(execFileSync(process.execPath, ['-e', PROGRAM], { encoding: 'utf8' }));
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
