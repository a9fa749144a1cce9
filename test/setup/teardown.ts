import { rmSync } from 'node:fs';

export default function teardown(): void {
  const folder = process.env['TEST_FOLDER'];
  if (folder) rmSync(folder, { recursive: true, force: true });
}
