import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';

/*
 * `npm test`: the whole suite on two workers, then one plain line of counts. Further arguments go to jest
 * (`npm test -- shared/delivery`).
 */

const root = new URL('..', import.meta.url).pathname;
const report = join(tmpdir(), `jest-report-${process.pid}.json`);

const ReportSchema = v.object({
  numPassedTests: v.number(),
  numFailedTests: v.number(),
  numPendingTests: v.number(),
  numRuntimeErrorTestSuites: v.number(),
});

function runJest(): Promise<number> {
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      join(root, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${report}`,
      ...process.argv.slice(2),
    ],
    // Standard output is where tests say what they leave out, and why.
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TZ: 'UTC' } },
  );
  return new Promise(resolve => jest.on('close', code => resolve(code ?? 1)));
}

function closingLine(): string {
  const json: unknown = JSON.parse(readFileSync(report, 'utf8'));
  const counts = v.parse(ReportSchema, json);
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : '';
  return `${counts.numPassedTests} passed, ${failed} failed${skipped}`;
}

const exitCode = await runJest();
if (existsSync(report)) {
  console.log(closingLine());
  rmSync(report);
}
process.exitCode = exitCode;
