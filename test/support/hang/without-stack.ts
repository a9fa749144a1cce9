import { test } from '@jest/globals';

/* Not part of the suite: with a second test file, jest runs both in workers (test/interrupt.test.ts). */

test('never ends', () => new Promise(() => undefined));
