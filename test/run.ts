import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { patternOf, SLOW_SUITES, SUITE_NAMES, type SuiteName } from './suites.ts';

const HELP = `npm test [-- options] [files or folders …]

Runs the tests on three workers and prints one line of counts.

  --fast           without the slow suites: for the inner loop
  --suite <name>   one slow suite
  --help           this text

Slow suites:
${SUITE_NAMES.map(name => `  ${name.padEnd(16)} ${SLOW_SUITES[name].summary}`).join('\n')}

Everything else is passed on to jest:
  npm test -- shared/delivery                       the tests of a folder
  npm test -- shared/time/zone.test.ts -t 'DST'     tests of a file by title
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REPORT = join(tmpdir(), `jest-report-${process.pid}.json`);
/** Time in which everything must exit after an interrupt before it is killed. */
const EXIT_LIMIT_MS = 5_000;
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

const ReportSchema = v.object({
  numPassedTests: v.number(),
  numFailedTests: v.number(),
  numPendingTests: v.number(),
  numRuntimeErrorTestSuites: v.number(),
});

/** Returns the arguments for jest. Throws an error with a message for the user if a suite is unknown. */
function jestArguments(args: readonly string[]): string[] {
  const rest = args.filter(arg => arg !== '--fast');
  const isFast = rest.length < args.length;
  const at = rest.indexOf('--suite');
  if (at >= 0) {
    const [, name = ''] = rest.splice(at, 2);
    const suite = SUITE_NAMES.find(each => each === name);
    if (!suite) throw new Error(`Unknown suite "${name}". Suites: ${SUITE_NAMES.join(', ')}`);
    return [...rest, ...patternsOf(suite)];
  }
  if (!isFast) return rest;
  return [...rest, '--testPathIgnorePatterns', '/node_modules/', ...SUITE_NAMES.flatMap(patternsOf)];
}

const patternsOf = (suite: SuiteName) => SLOW_SUITES[suite].paths.map(path => patternOf(ROOT, path));

/** Starts jest as the leader of a process group, to which its workers, emulators and stacks belong. */
function startJest(args: readonly string[]): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      // V8 would keep the modules of every test file that has run: a hundred files later, a worker is several times slower.
      '--no-compilation-cache',
      '--no-warnings',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      ...(args.includes('--listTests') ? [] : ['--json', `--outputFile=${REPORT}`]),
      ...args,
    ],
    {
      cwd: ROOT,
      // Tests print to standard output what they skip and why.
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TZ: 'UTC' },
      detached: process.platform !== 'win32',
    },
  );
}

/** Sends a signal to the whole process group. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // Everything has exited.
  }
}

/** Runs jest and returns its exit code. An interrupt ends everything that jest has started. */
async function runJest(args: readonly string[]): Promise<number> {
  const jest = startJest(args);
  const exited = new Promise<number>(resolve => jest.once('exit', code => resolve(code ?? 1)));
  const interrupts: (keyof typeof SIGNALS)[] = [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupts.push(signal);
      signalGroup(jest, 'SIGTERM');
      setTimeout(() => signalGroup(jest, 'SIGKILL'), EXIT_LIMIT_MS).unref();
    });
  }
  const code = await exited;
  // What is left now has been started by tests and should have been stopped by them.
  signalGroup(jest, 'SIGKILL');
  const [interrupt] = interrupts;
  return interrupt === undefined ? code : 128 + SIGNALS[interrupt];
}

/** Prints the counts of jest's report, if it ran tests. */
function printCounts(): void {
  if (!existsSync(REPORT)) return;
  const json: unknown = JSON.parse(readFileSync(REPORT, 'utf8'));
  rmSync(REPORT);
  const parsed = v.safeParse(ReportSchema, json);
  if (!parsed.success) return;
  const counts = parsed.output;
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : '';
  console.log(`${counts.numPassedTests} passed, ${failed} failed${skipped}`);
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(HELP);
    return 0;
  }
  const code = await runJest(jestArguments(args));
  printCounts();
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
