import { test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { startStack } from '../stack.ts';

/* Not part of the suite: test/interrupt.test.ts runs this test, which starts a stack and never ends. */

test('never ends', async () => {
  await startStack();
  writeFileSync(process.env['HANG_READY_FILE']!, '');
  await new Promise(() => undefined);
});
