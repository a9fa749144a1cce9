import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseIngest } from '../../workers/broadcaster/rtmp/address.ts';
import { openConnection } from '../../workers/broadcaster/rtmp/connection.ts';
import { openIngest, type Ingest } from './ingest.ts';

let folder: string;
let ingest: Ingest;
const seen: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-'));
  ingest = await openIngest({
    folder,
    port: 0,
    onStarted: key => {
      seen.push(`started ${key}`);
      return key !== 'unknown';
    },
    onStopped: key => void seen.push(`stopped ${key}`),
  });
});
afterAll(async () => {
  await ingest.close();
  rmSync(folder, { recursive: true });
});

const encode = (key: string) => openConnection(parseIngest({ url: ingest.url, key }));
async function until(...events: string[]): Promise<void> {
  while (seen.length < events.length) await sleep(10);
  expect(seen.splice(0)).toEqual(events);
}

test('tells when streams begin and end, hangs up on unknown keys, and finds records', async () => {
  const first = await encode('a');
  await until('started a');
  // The same encoder again, before its lost connection is noticed: the stream goes on.
  const second = await encode('a').catch(() => null);
  await second?.lost;
  await until('started a');
  await first.end();
  await until('stopped a');
  const unknown = await encode('unknown').catch(() => null);
  await unknown?.lost;
  await until('started unknown');
  expect(ingest.record('a')).toMatch(/live2.a.\d+\.flv$/);
  expect(ingest.record('b')).toBeNull();
});
