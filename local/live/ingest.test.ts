import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseIngest } from '../../workers/broadcaster/rtmp/address.ts';
import { openConnection } from '../../workers/broadcaster/rtmp/connection.ts';
import { openIngest, type Ingest } from './ingest.ts';
import { recordsOf } from './records.ts';

let folder: string;
let ingest: Ingest;
/** As if the stack had recorded streams before it was started again. */
const OLD_RECORDS = Array.from({ length: 25 }, (_, index) => 1000 + index);
const seen: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-'));
  mkdirSync(join(folder, 'live2', 'old'), { recursive: true });
  for (const time of OLD_RECORDS) writeFileSync(join(folder, 'live2', 'old', `${time}.flv`), '');
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

test('keeps the last 20 of the records that an earlier server left', () => {
  const kept = recordsOf(folder, 'old');
  expect(kept).toHaveLength(20);
  expect(kept[0]).toMatch(/1005\.flv$/);
});

test('is back for the next encoder after its server was killed', async () => {
  const first = await encode('c');
  await until('started c');
  await ingest.kill();
  await first.lost;
  const second = await encode('c');
  await until('stopped c', 'started c');
  await second.end();
});
