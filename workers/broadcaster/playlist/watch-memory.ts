import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PAGE_BYTES = 4096;

/** Returns the resident memory of a process in bytes; null where the platform does not say. */
export async function residentBytes(pid: number): Promise<number | null> {
  try {
    if (process.platform === 'win32') return null;
    if (process.platform === 'linux') {
      const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
      return Number(pages) * PAGE_BYTES;
    }
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout) * 1024;
  } catch {
    // The process has ended.
    return null;
  }
}
