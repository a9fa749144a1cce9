import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { APP } from './records.ts';

export interface RtmpServerOptions {
  /** Where the streams are recorded. */
  folder: string;
  port: number;
  /** A stream begins. Returns whether its key is known: the server hangs up on others. */
  onStarted?: (key: string) => boolean;
  /** No connection sends this stream any more. */
  onStopped?: (key: string) => void;
}

/** A real RTMP server in a process of its own. */
export interface RtmpServer {
  /** Resolves when its process has ended, for whatever reason. */
  ended: Promise<unknown>;
  /** SIGTERM lets it complete its records. Resolves when the process has ended. */
  end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('rtmp-process.mjs', import.meta.url));

const MessageSchema = v.variant('type', [
  v.object({ type: v.literal('listening') }),
  v.object({ type: v.picklist(['started', 'stopped']), id: v.string(), key: v.string() }),
]);

/** The address that encoders send to, followed by the stream key. */
export const ingestUrl = (port: number) => `rtmp://127.0.0.1:${port}/${APP}`;

/** Starts the server. Rejects if it cannot listen on the port. */
export async function startRtmpServer(options: RtmpServerOptions): Promise<RtmpServer> {
  mkdirSync(options.folder, { recursive: true });
  const child = fork(PROGRAM, [String(options.port)], {
    cwd: options.folder,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const connections = createConnections(options);
  const listening = Promise.withResolvers<undefined>();
  child.on('message', raw => {
    const message = v.parse(MessageSchema, raw);
    if (message.type === 'listening') listening.resolve(undefined);
    else if (message.type === 'stopped') connections.remove(message);
    else if (!connections.add(message)) child.send({ refuse: message.id });
  });
  void ended.then(() => {
    connections.clear();
    listening.reject(new Error(`The RTMP server cannot listen on port ${options.port}`));
  });
  await listening.promise;
  return {
    ended,
    end: async signal => {
      child.kill(signal);
      await ended;
    },
  };
}

interface Connection {
  id: string;
  key: string;
}

/** Knows which streams arrive. An encoder may connect again before its lost connection is closed. */
function createConnections({
  onStarted = () => true,
  onStopped = () => undefined,
}: Pick<RtmpServerOptions, 'onStarted' | 'onStopped'>) {
  const open = new Map<string, string>();

  function remove({ id, key }: Connection): void {
    if (open.delete(id) && ![...open.values()].includes(key)) onStopped(key);
  }

  return {
    /** False for an unknown stream. */
    add: ({ id, key }: Connection): boolean => {
      const isKnown = onStarted(key);
      if (isKnown) open.set(id, key);
      return isKnown;
    },
    remove,
    clear: () => [...open].forEach(([id, key]) => remove({ id, key })),
  };
}
