import { existsSync, readFileSync } from 'node:fs';
import { S3Client } from '@aws-sdk/client-s3';
import { localClient } from '../../local/aws/tables.ts';
import { runTransfer } from '../../shared/media/transfer.ts';
import { newTransfer } from '../../shared/model/transfer.ts';
import { createHttpClient } from '../../shared/net/http.ts';

/*
 * Imports one file as the importer does, in a process of its own, and prints what came of it with the most memory that
 * the process ever had: `node import-alone.ts <url> <endpoint> <bucket>`.
 */

const [, , url = '', endpoint = '', name = ''] = process.argv;
const client = new S3Client({
  ...localClient(endpoint),
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});
const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
const result = await runTransfer(
  {
    bucket: { client, name, publicUrl: '' },
    http,
    remainingMs: () => 600_000,
    leaveAfterBytes: Number.POSITIVE_INFINITY,
    patience: 3,
    newKey: format => `public/media/alone.${format}`,
    save: () => Promise.resolve(),
  },
  newTransfer(url),
);
http.close();
client.destroy();
process.stdout.write(JSON.stringify({ ...result, transfer: undefined, most_mib: mostMib() }));

/** Linux begins `maxRSS` with the peak of the process that started this one; only its own counts here. */
function mostMib(): number {
  const status = '/proc/self/status';
  const own = existsSync(status) ? /VmHWM:\s*(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  return Math.round(Number(own ?? process.resourceUsage().maxRSS) / 1024);
}
