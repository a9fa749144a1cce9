import { S3Client } from '@aws-sdk/client-s3';
import { localClientConfig } from '../../local/aws/tables.ts';
import { runTransfer } from '../../shared/media/transfer/run-transfer.ts';
import { newTransfer } from '../../shared/model/transfer.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { peakMib } from './peak-memory.ts';

/*
 * Imports one file as the importer does, in a process of its own, and prints the result with the peak memory of the
 * process: `node import-alone.ts <url> <endpoint> <bucket>`.
 */

const [, , url = '', endpoint = '', name = ''] = process.argv;
const client = new S3Client({
  ...localClientConfig(endpoint),
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});
const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
const result = await runTransfer(
  {
    bucket: { client, name, publicUrl: '' },
    http,
    remainingMs: () => 600_000,
    maxInlineBytes: Number.POSITIVE_INFINITY,
    maxFailures: 3,
    newKey: format => `public/media/alone.${format}`,
    save: () => Promise.resolve(),
  },
  newTransfer(url),
);
http.close();
client.destroy();
process.stdout.write(JSON.stringify({ ...result, transfer: undefined, peak_mib: peakMib() }));
