import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

export interface LogLine {
  function: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface Logs {
  write: (functionName: string, stream: LogLine['stream'], text: string) => void;
  /** The last lines whose function's name contains the text, oldest first. */
  recent: (functionName: string) => LogLine[];
  close: () => void;
}

const KEPT_LINES = 2000;

/** What the functions print: a file a function, the last lines in memory, errors on the console too unless `quiet`. */
export function createLogs(folder: string, quiet: boolean): Logs {
  mkdirSync(folder, { recursive: true });
  const files = new Map<string, WriteStream>();
  let lines: LogLine[] = [];

  function file(name: string): WriteStream {
    const open = files.get(name) ?? createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    files.set(name, open);
    return open;
  }

  return {
    write: (name, stream, text) => {
      file(name).write(text);
      lines.push({ function: name, stream, text });
      if (lines.length > 2 * KEPT_LINES) lines = lines.slice(-KEPT_LINES);
      if (stream === 'stderr' && !quiet) process.stderr.write(`${name}: ${text}`);
    },
    recent: name => lines.slice(-KEPT_LINES).filter(line => line.function.includes(name)),
    close: () => {
      for (const open of files.values()) open.end();
    },
  };
}
