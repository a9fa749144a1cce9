import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { createHttpClient, HttpFailure, type Resolve } from '../../shared/net/http.ts';
import { assertPublicUrl } from '../../shared/net/public-url.ts';
import { assertReceiver, urlErrors } from './fields.ts';

/** Settings of a deployed stack: private addresses are blocked. */
const DEPLOYED = { sandboxUrl: null, allowLoopback: false };
const PUBLIC = { address: '93.184.215.14', family: 4 };

/** Spellings of addresses that are not public, by technique. */
const HOSTS: Record<string, readonly string[]> = {
  'dotted decimal': [
    '0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1',
    '169.254.169.254 169.254.170.2 169.254.169.253 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1',
    '192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255',
    '240.0.0.1 255.255.255.255 100.100.100.200 192.0.0.192 168.63.129.16.0',
  ],
  'one number': ['2130706433 2852039166 3232235521 167772161 0 4294967295 2886729729'],
  hexadecimal: ['0x7f000001 0x7f.0.0.1 0x7f.1 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 0x0a000001 0xc0.0xa8.0.1 0x0'],
  octal: ['017700000001 0177.0.0.1 0177.1 0251.0376.0251.0376 012.0.0.1 0300.0250.0.1 00000177.0.0.1'],
  short: ['127.1 127.0.1 10.1 192.168.1 172.16.1 169.254.43518 169.16689662 0.1'],
  mixed: ['0x7f.0.1 0177.0x0.1 169.0xfe.0251.254 192.0xa8.257 012.0.0.1.'],
  'trailing dots': ['127.0.0.1. 10.0.0.1. 169.254.169.254. localhost. 2130706433. 0x7f.1.'],
  'percent signs and other digits': [
    '%31%32%37.0.0.1 %31%36%39.254.169.254 １２７.0.0.1 ①②⑦.⓪.⓪.① 𝟭𝟮𝟳.𝟬.𝟬.𝟭 127。0。0。1 127．0．0．1 127｡0｡0｡1 ⑯⑨.254.⑯⑨.254',
  ],
  IPv6: [
    '[::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [fe80::1] [febf::1] [fec0::1] [fc00::1]',
    '[fd00::1] [fd00:ec2::254] [fd20:ce::254] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [5f00::1]',
  ],
  'IPv4 in IPv6': [
    '[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a9fe:a9fe] [::ffff:10.0.0.1] [::FFFF:192.168.0.1] [::127.0.0.1]',
    '[::a9fe:a9fe] [::ffff:0:127.0.0.1] [0:0:0:0:0:ffff:7f00:1] [::ffff:0.0.0.0] [::ffff:169.254.169.254]',
  ],
  'NAT64, 6to4, Teredo': [
    '[64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b::10.0.0.1] [64:ff9b:1::1] [64:ff9b:1:fffe::a9fe:a9fe]',
    '[2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:a00:1::] [2001::1] [2001:0:a9fe:a9fe::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  ],
  'zone ids': ['[fe80::1%25eth0] [fe80::1%eth0] [::1%25lo]'],
  names: [
    'localhost LOCALHOST LocalHost localhost. a.localhost a.b.localhost. ｌｏｃａｌｈｏｓｔ printer.local printer.local.',
    'metadata.google.internal metadata.google.internal. METADATA.GOOGLE.INTERNAL instance-data.ec2.internal',
    'ip-10-0-0-1.ec2.internal host.docker.internal kubernetes.default.svc.cluster.local service.internal.',
  ],
};

const spellings = Object.entries(HOSTS).flatMap(([technique, lines]) =>
  lines.flatMap(line => line.split(' ')).map(host => [technique, host] as const),
);

/** URLs whose other parts are malicious or invalid. */
const URLS = [
  'https://user@hooks.example/',
  'https://user:password@hooks.example/',
  'https://hooks.example@127.0.0.1/',
  'https://hooks.example:443@169.254.169.254/latest',
  'https://hooks.example%40@127.0.0.1/',
  'https://127.0.0.1#@hooks.example/',
  'https://127.0.0.1?@hooks.example/',
  'https://127.0.0.1\\@hooks.example/',
  'https:127.0.0.1/',
  'https:/127.0.0.1/',
  'https:\\\\127.0.0.1\\',
  'https:///127.0.0.1/',
  'HTTPS://127.0.0.1/',
  ' https://127.0.0.1/ ',
  'https://127.0.0.1:8443/',
  'https://127.0.0.1:2773/',
  'https://[::1]:9001/2018-06-01/runtime/invocation/next',
  'https://12\t7.0.0.1/',
  'https://127.0.\n0.1/',
  'http://hooks.example/',
  'ftp://hooks.example/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_',
  'javascript:alert(1)',
  'data:text/plain,a',
  '//hooks.example/',
  'hooks.example',
  'https://',
  'https://hooks.example:99999/',
  'https://[::1',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
];

const failureOf = (running: Promise<unknown>) =>
  running.then(
    () => 'connected',
    (error: unknown) => (error instanceof HttpFailure ? error.reason : `unexpected: ${String(error)}`),
  );

const posting = (url: string) => ({ method: 'POST', url, body: '{}', timeoutMs: 60_000 }) as const;

/** Resolves local names without the network. */
const local: Resolve = host =>
  /(?:^|\.)localhost\.?$/.test(host)
    ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    : /\.(?:local|internal)\.?$/.test(host)
      ? Promise.resolve([{ address: '169.254.169.254', family: 4 }])
      : lookup(host, { all: true });

let server: Server;
let port: number;
let requests = 0;
beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise(resolve => server.close(resolve)));

test('the list has at least a hundred spellings', () => {
  expect(new Set(spellings.map(([, host]) => host)).size).toBeGreaterThanOrEqual(100);
});

describe('an address that is not public', () => {
  test.each(spellings)('is refused at registration in %s: %s', (_, host) => {
    expect(urlErrors(`https://${host}/hook`, DEPLOYED)).not.toEqual([]);
  });

  test.each(spellings)('is refused at connection time in %s: %s', async (_, host) => {
    const client = createHttpClient(DEPLOYED, local);
    expect(await failureOf(client.send(posting(`https://${host}/hook`)))).toBe('blocked');
    client.close();
  });

  test.each(spellings)('is refused when a name resolves to it, in %s: %s', async (_, host) => {
    // As a name server could answer it.
    const address = host.replace(/^\[|\]$/g, '');
    const resolve: Resolve = () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
    expect(await failureOf(assertPublicUrl('https://hooks.example/', DEPLOYED, resolve))).toBe('blocked');
    const client = createHttpClient(DEPLOYED, resolve);
    expect(await failureOf(client.send(posting('https://hooks.example/')))).toBe('blocked');
    client.close();
  });

  test('is refused in any spelling', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const privates = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127, 224, 255), octet, octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    );
    const number = ([a, b, c, d]: number[]) => ((a! * 256 + b!) * 256 + c!) * 256 + d!;
    const hex = (parts: number[]) => number(parts).toString(16).padStart(8, '0');
    const halves = (parts: number[]) => `${hex(parts).slice(0, 4)}:${hex(parts).slice(4)}`;
    const spell = fc.constantFrom<(parts: number[]) => string>(
      parts => parts.join('.'),
      parts => String(number(parts)),
      parts => `0x${hex(parts)}`,
      parts => parts.map(part => `0${part.toString(8)}`).join('.'),
      parts => parts.map(part => `0x${part.toString(16)}`).join('.'),
      parts => `${parts[0]}.${number([0, parts[1]!, parts[2]!, parts[3]!])}`,
      parts => `[::ffff:${halves(parts)}]`,
      parts => `[::${halves(parts)}]`,
      parts => `[64:ff9b::${halves(parts)}]`,
      parts => `[2002:${halves(parts)}::]`,
    );
    fc.assert(
      fc.property(privates, spell, (parts, write) => {
        expect(urlErrors(`https://${write(parts)}/`, DEPLOYED)).not.toEqual([]);
      }),
    );
  });
});

test.each(URLS)('refuses a URL that is malicious or not https: %j', url => {
  expect(urlErrors(url, DEPLOYED)).not.toEqual([]);
});

test.each([
  'https://hooks.example/',
  'https://hooks.example.:8443/a?b=c#d',
  'https://8.8.8.8/',
  'https://172.32.0.1/',
  'https://[2606:4700::1111]/hook',
  'https://bücher.example/',
  'https://internal.example/',
  'https://localhost.example/',
  'https://mylocal/',
])('accepts a public URL: %s', url => {
  expect(urlErrors(url, DEPLOYED)).toEqual([]);
});

describe('a host name', () => {
  const settings = { sandboxUrl: null, allowLoopback: true };

  test.each(['169.254.169.254', '10.0.0.8', '::1', '::ffff:127.0.0.1'])(
    'that resolves to %s answers 400 at registration',
    async address => {
      const resolve: Resolve = () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
      const error = await assertReceiver('https://internal.attacker.example/hook', resolve).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        response: {
          status: 400,
          body: {
            error: 'Validation failed',
            details: [
              {
                field: 'url',
                message: 'internal.attacker.example resolves to an address that is not public',
                platform: null,
              },
            ],
          },
        },
      });
    },
  );

  test('that resolves to another address after the check is blocked', async () => {
    const answers = [[PUBLIC], [{ address: '127.0.0.1', family: 4 }]];
    const resolve: Resolve = () => Promise.resolve(answers.shift() ?? []);
    await assertPublicUrl('https://hooks.example/', DEPLOYED, resolve);
    const client = createHttpClient(DEPLOYED, resolve);
    expect(await failureOf(client.send(posting(`http://hooks.example:${port}/`)))).toBe('blocked');
    client.close();
    expect(answers).toEqual([]);
    expect(requests).toBe(0);
  });

  test('is resolved once per connection, to the address that was checked', async () => {
    let lookups = 0;
    // The first answer is allowed; a second one would be an address where nothing listens.
    const resolve: Resolve = () =>
      Promise.resolve([{ address: (lookups += 1) === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    const client = createHttpClient(settings, resolve);
    expect((await client.send(posting(`http://hooks.example:${port}/`))).status).toBe(200);
    client.close();
    expect(lookups).toBe(1);
    expect(requests).toBe(1);
    requests = 0;
  });

  test.each([
    ['A', [PUBLIC, { address: '10.0.0.1', family: 4 }]],
    ['AAAA', [PUBLIC, { address: 'fd00::1', family: 6 }]],
    [
      'A, before a public AAAA',
      [
        { address: '127.0.0.1', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
    ],
    ['mapped AAAA', [PUBLIC, { address: '::ffff:169.254.169.254', family: 6 }]],
    ['AAAA with a zone', [PUBLIC, { address: 'fe80::1%eth0', family: 6 }]],
  ])('with public and private addresses is blocked: %s', async (_, addresses) => {
    const resolve: Resolve = () => Promise.resolve(addresses);
    expect(await failureOf(assertPublicUrl('https://hooks.example/', DEPLOYED, resolve))).toBe('blocked');
    const client = createHttpClient(DEPLOYED, resolve);
    expect(await failureOf(client.send(posting('https://hooks.example/')))).toBe('blocked');
    client.close();
  });

  test('without addresses is refused', async () => {
    const resolve: Resolve = () => Promise.resolve([]);
    expect(await failureOf(assertPublicUrl('https://hooks.example/', DEPLOYED, resolve))).toBe('network');
    const client = createHttpClient(DEPLOYED, resolve);
    expect(await failureOf(client.send(posting('https://hooks.example/')))).toBe('blocked');
    client.close();
  });
});
