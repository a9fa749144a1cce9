import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENT } from './server.ts';

export const TLS_KINDS = ['good', 'self-signed', 'expired', 'wrong host', 'garbage', 'old protocol'] as const;
export type TlsKind = (typeof TLS_KINDS)[number];

export interface TlsReceivers {
  /** The certificate to trust. */
  ca: string;
  url: (kind: TlsKind) => string;
  close: () => Promise<void>;
}

/**
 * Starts receivers on `localhost` with valid and invalid TLS; needs openssl. Requests that get through reach `listener`
 * below `/<kind>`.
 */
export async function startTlsReceivers(listener: RequestListener): Promise<TlsReceivers> {
  const { ca, certificates } = makeCertificates();
  const { good } = certificates;
  const servers: Record<TlsKind, Server> = {
    good: createHttpsServer({ ...PATIENT, ...good }, listener),
    'self-signed': createHttpsServer(certificates['self-signed'], listener),
    expired: createHttpsServer(certificates.expired, listener),
    'wrong host': createHttpsServer(certificates['wrong host'], listener),
    garbage: createServer(socket => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.6\r\n')),
    'old protocol': createHttpsServer(
      { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      listener,
    ),
  };
  const sockets = new Set<Socket>();
  for (const server of Object.values(servers)) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  }
  return {
    ca,
    url: kind =>
      `https://localhost:${(servers[kind].address() as AddressInfo).port}/${encodeURIComponent(kind)}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(Object.values(servers).map(server => new Promise(resolve => server.close(resolve))));
    },
  };
}

type Certificate = Pick<ServerOptions, 'key' | 'cert'>;

function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const path = (name: string) => join(folder, name);
  const openssl = (...options: string[]) => execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' });
  const read = (name: string) => readFileSync(path(name), 'utf8');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  const selfSigned = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=DNS:localhost',
    );

  /** Returns a certificate of the test CA for a host, valid as the `openssl ca` options say. */
  function signed(name: string, host: string, ...time: string[]): Certificate {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${host}`);
    writeFileSync(path(`${name}.ext`), `subjectAltName=DNS:${host}\n`);
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.conf',
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
      '-extfile',
      `${name}.ext`,
      ...time,
    );
    return { key: read(`${name}.key`), cert: read(`${name}.pem`) };
  }

  try {
    selfSigned('ca');
    selfSigned('self');
    writeFileSync(path('ca.conf'), CA_CONFIG);
    writeFileSync(path('index.txt'), '');
    return {
      ca: read('ca.pem'),
      certificates: {
        good: signed('good', 'localhost', '-days', '2'),
        'self-signed': { key: read('self.key'), cert: read('self.pem') },
        expired: signed(
          'expired',
          'localhost',
          '-startdate',
          '20200101000000Z',
          '-enddate',
          '20210101000000Z',
        ),
        'wrong host': signed('other', 'other.example', '-days', '2'),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const CA_CONFIG = `[ca]
default_ca = authority
[authority]
certificate = ca.pem
private_key = ca.key
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
`;
