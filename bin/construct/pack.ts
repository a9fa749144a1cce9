import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import project from '../../package.json' with { type: 'json' };
import { writePackage } from './write-package.ts';

/** Packs the construct, and returns the path of the tarball in `destination`. */
export function packConstruct(destination: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'construct-'));
  try {
    writePackage(folder);
    const { status, stderr } = spawnSync('npm', ['pack', '--silent', '--pack-destination', destination], {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return join(destination, `${project.name}-${project.version}.tgz`);
}
