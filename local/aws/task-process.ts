import { spawn, type ChildProcess } from 'node:child_process';
import type { Clock } from '../clock.ts';

export interface TaskCommand {
  /** Program and arguments; `node` stands for the Node.js of this process. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  clock: Clock;
  log: (stream: 'stdout' | 'stderr', text: string) => void;
  /** The process has ended, with its exit code; null if it could not be started. */
  onEnd: (exitCode: number | null) => void;
}

/** The container of a task: a process without a container around it. */
export interface TaskProcess {
  pid: number | null;
  /** Sends SIGTERM, and SIGKILL after the timeout. */
  stop: (timeoutS: number) => void;
  kill: () => void;
}

const PRELOAD = new URL('task-preload.mjs', import.meta.url).href;
/** Exit code of a process that was killed, as Docker reports it. */
const KILLED = 137;

export function startTaskProcess({ command, environment, clock, log, onEnd }: TaskCommand): TaskProcess {
  const [program = '', ...args] = command;
  const isNode = program === 'node';
  const child = spawn(isNode ? process.execPath : program, isNode ? ['--import', PRELOAD, ...args] : args, {
    env: { ...systemVariables(), ...environment, TZ: 'UTC', CLOCK_OFFSET_MS: String(clock.offsetMs()) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.on('data', (text: Buffer) => log('stdout', text.toString()));
  child.stderr?.on('data', (text: Buffer) => log('stderr', text.toString()));
  const unwatch = clock.onAdvance(() => tell(child, { offset_ms: clock.offsetMs() }));
  let timer: NodeJS.Timeout | undefined;

  let hasEnded = false;
  function end(exitCode: number | null): void {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    unwatch();
    onEnd(exitCode);
  }
  child.once('error', error => {
    log('stderr', `${error.message}\n`);
    end(null);
  });
  child.once('close', code => end(code ?? KILLED));

  return {
    pid: child.pid ?? null,
    stop: timeoutS => {
      timer ??= setTimeout(() => child.kill('SIGKILL'), timeoutS * 1000);
      if (process.platform === 'win32') tell(child, { signal: 'SIGTERM' });
      else child.kill('SIGTERM');
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Windows opens no socket without this variable. */
const systemVariables = () => (process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {});

/** The process may have ended in this moment. */
function tell(child: ChildProcess, message: Record<string, string | number>): void {
  if (child.connected) child.send(message, () => undefined);
}
