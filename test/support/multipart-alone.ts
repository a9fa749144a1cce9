import { createHttpClient } from '../../shared/net/http.ts';
import { multipart } from '../../shared/net/multipart.ts';
import { peakMib } from './peak-memory.ts';

/*
 * Sends a form with one generated file in a process of its own, and prints the status with the peak memory of the
 * process: `node multipart-alone.ts <url> <bytes>`.
 */

const [, , url = '', bytes = ''] = process.argv;
const block = Buffer.alloc(4 * 1024 ** 2, 'media');
const { contentType, body } = multipart(
  { chat_id: '1' },
  {
    video: {
      name: 'video.mp4',
      type: 'video/mp4',
      size: Number(bytes),
      read: (_, length) => Promise.resolve(block.subarray(0, length)),
    },
  },
);
const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
const { status } = await http.send({
  method: 'POST',
  url,
  headers: { 'content-type': contentType },
  body,
  timeoutMs: 600_000,
});
http.close();
process.stdout.write(JSON.stringify({ status, length: body.length, peak_mib: peakMib() }));
