import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundleFunctions } from '../../lib/bundle.ts';
import { report, type Bench } from './bench.ts';

const BUNDLE = fileURLToPath(new URL('../../dist/ai/index.js', import.meta.url));
const RUNS = 11;
const PROGRAM = `const begun = performance.now(); require(${JSON.stringify(BUNDLE)}); console.log(performance.now() - begun)`;

/** Size and load time of the AI function's bundle at a cold start. */
export const ai: Bench = {
  name: 'ai',
  summary: 'size and load time of the AI function',
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

/** Loads the bundle in a new process and returns the time in milliseconds. */
function load(): number {
  return Number(execFileSync(process.execPath, ['-e', PROGRAM], { encoding: 'utf8' }));
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
