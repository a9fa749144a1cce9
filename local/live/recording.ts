import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('remux.mjs', import.meta.url));
const run = promisify(execFile);

/** Returns what is recorded of a stream so far, as an MP4 file that browsers play. Rejects where nothing is recorded yet. */
export async function asMp4(record: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'));
  try {
    const file = join(folder, 'recording.mp4');
    await run(process.execPath, [PROGRAM, record, file]);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
