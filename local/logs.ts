import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

export interface LogLine {
  function: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface Logs {
  write: (functionName: string, stream: LogLine['stream'], text: string) => void;
  /** Recent lines of the functions whose name contains the text, oldest first. */
  recent: (functionName: string) => LogLine[];
  close: () => void;
}

const KEPT_LINES = 2000;

/** Output of the functions: one file per function, recent lines in memory, stderr also on the console unless `quiet`. */
export function createLogs(folder: string, quiet: boolean): Logs {
  mkdirSync(folder, { recursive: true });
  const files = new Map<string, WriteStream>();
  let lines: LogLine[] = [];

  function file(name: string): WriteStream {
    const stream = files.get(name) ?? createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    files.set(name, stream);
    return stream;
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
      for (const stream of files.values()) stream.end();
    },
  };
}
