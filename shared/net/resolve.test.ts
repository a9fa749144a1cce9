import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createResolver } from './resolve.ts';

/** A name server: it counts the questions, and answers those for `known.example` with an IPv4 address. */
async function nameServer() {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, { port }) => {
    const name = nameIn(query);
    questions.push(name);
    if (name === 'known.example') socket.send(answerTo(query), port, '127.0.0.1');
  });
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  return { socket, questions, address: `127.0.0.1:${socket.address().port}` };
}

/** The name in a DNS query: labels with their lengths, from byte 12 on. */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at]! > 0; at += query[at]! + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  return labels.join('.').toLowerCase();
}

const A = 1;

/** Answers a query for an A record with 192.0.2.7, any other with no record. */
function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const isA = query.readUInt16BE(end - 4) === A;
  const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
  return Buffer.concat([header, query.subarray(12, end), ...(isA ? [record] : [])]);
}

let server: { socket: Socket; questions: string[]; address: string };
let folder: string;
beforeEach(async () => {
  server = await nameServer();
  folder = mkdtempSync(join(tmpdir(), 'hosts-'));
});
afterEach(() => {
  server.socket.close();
  rmSync(folder, { recursive: true });
});

const hostsFile = (text: string) => {
  const path = join(folder, 'hosts');
  writeFileSync(path, text);
  return path;
};

test('resolves a name while forty others wait for dead name servers, which stop no thread', async () => {
  const resolve = createResolver([server.address], hostsFile(''));
  let failed = 0;
  const dead = Array.from({ length: 40 }, (_, index) => `dead-${index}.example`);
  const waiting = Promise.all(dead.map(name => resolve(name).catch(() => (failed += 1))));
  expect(await resolve('known.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  await lookup('localhost');
  expect(failed).toBe(0);
  await waiting;
  expect(failed).toBe(40);
});

test('prefers the names of the hosts file', async () => {
  const text =
    '127.0.0.9 other\n# 10.0.0.1 known.example\n10.0.0.2\tbox Known.example # mine\n::2 known.example\n';
  const resolve = createResolver([server.address], hostsFile(text));
  expect(await resolve('known.example')).toEqual([
    { address: '10.0.0.2', family: 4 },
    { address: '::2', family: 6 },
  ]);
  expect(server.questions).toEqual([]);
});

test.each(['localhost', 'app.localhost', 'LOCALHOST.'])('resolves %s without a name server', async name => {
  const resolve = createResolver([server.address], join(folder, 'none'));
  expect((await resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  expect(server.questions).toEqual([]);
});
