import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { createHttpClient, HttpFailure, type HttpClient } from './http.ts';
import { multipart, type FormFilePart, type MultipartBody } from './multipart.ts';

const MIB = 1024 ** 2;

let server: Server;
let url: string;
let http: HttpClient;
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = { 'content-type': request.headers['content-type']! };
      // A parser that is not ours reads the form; it is deprecated for servers because it buffers.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      const received = new Response(Buffer.concat(chunks), { headers }).formData();
      void received.then(async form => response.end(JSON.stringify(await described(form))));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
});
afterAll(() => {
  http.close();
  server.closeAllConnections();
  server.close();
});

async function described(form: FormData): Promise<Record<string, unknown>> {
  const entries = [...form].map(async ([name, value]): Promise<[string, unknown]> => {
    if (typeof value === 'string') return [name, value];
    const bytes = Buffer.from(await value.arrayBuffer());
    return [name, { name: value.name, type: value.type, sha256: sha256(bytes) }];
  });
  return Object.fromEntries<unknown>(await Promise.all(entries));
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const send = ({ contentType, body }: MultipartBody, timeoutMs = 20_000) =>
  http.send({ method: 'POST', url, headers: { 'content-type': contentType }, body, timeoutMs });

/** A file that is read piece by piece; `available`: bytes that it really has. */
const streamed = (bytes: Buffer, available = bytes.length): FormFilePart => ({
  name: 'clip.mp4',
  type: 'video/mp4',
  size: bytes.length,
  read: (start, length) => Promise.resolve(bytes.subarray(start, Math.min(available, start + length))),
});

describe('a multipart form', () => {
  test('arrives with its fields and files, in memory and streamed', async () => {
    const large = randomBytes(9 * MIB + 1);
    const photo = randomBytes(1000);
    const form = multipart(
      { caption: 'Zürich\r\n"quoted"', empty: '' },
      { photo: { name: 'a "b"\n.jpg', type: 'image/jpeg', bytes: photo }, video: streamed(large) },
    );
    const { status, body } = await send(form);
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toEqual({
      caption: 'Zürich\r\n"quoted"',
      empty: '',
      photo: { name: 'a "b"\n.jpg', type: 'image/jpeg', sha256: sha256(photo) },
      video: { name: 'clip.mp4', type: 'video/mp4', sha256: sha256(large) },
    });
  });

  test('declares its exact length', async () => {
    const { body } = multipart({ a: 'ü' }, { video: streamed(randomBytes(5 * MIB)) });
    const chunks = v.parse(v.array(v.instance(Buffer)), await body.stream.toArray());
    expect(Buffer.concat(chunks)).toHaveLength(body.length);
  });

  test('fails the request when a file is shorter than declared', async () => {
    const bytes = randomBytes(9 * MIB);
    const failed = await send(multipart({}, { video: streamed(bytes, 5 * MIB) })).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(HttpFailure);
    expect(failed).toMatchObject({ sent: false, message: expect.stringMatching(/ended after 5242880 of/) });
  });

  test('stops reading its file when the request times out', async () => {
    let reads = 0;
    const endless: FormFilePart = {
      name: 'clip.mp4',
      type: 'video/mp4',
      size: 1024 * MIB,
      read: async (_, length) => {
        reads += 1;
        await new Promise(resolve => setTimeout(resolve, 20));
        return Buffer.alloc(length);
      },
    };
    await expect(send(multipart({}, { video: endless }), 200)).rejects.toMatchObject({ reason: 'timeout' });
    const after = reads;
    await new Promise(resolve => setTimeout(resolve, 200));
    expect(reads).toBeLessThanOrEqual(after + 1);
  });
});
