import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

export interface Address {
  address: string;
  family: number;
}

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<Address[]>;

/** Milliseconds that a name server has for a question, and how often it is asked: six seconds in all. */
const LIMITS = { timeout: 2000, tries: 2 };

const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

const LOOPBACK: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Creates a resolver that asks name servers itself. `dns.lookup` would occupy one of the process's four threads until they
 * answer, so that a few dead names would stop every other lookup and all access to files.
 */
export function createResolver(servers?: readonly string[], hostsFile = HOSTS_FILE): Resolve {
  const resolver = new Resolver(LIMITS);
  if (servers) resolver.setServers(servers);
  return async host => {
    const known = await hostsEntries(hostsFile, host);
    if (known.length > 0) return known;
    if (/^(?:.+\.)?localhost\.?$/i.test(host)) return LOOPBACK;
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [v4, v6].flatMap(result => (result.status === 'fulfilled' ? result.value : []));
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found.map(toAddress);
  };
}

/** Returns the addresses that the machine's own table has for a name. */
async function hostsEntries(file: string, host: string): Promise<Address[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap(line => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isNamed = names.some(name => name.toLowerCase() === host.toLowerCase());
    return isNamed && isIP(address) !== 0 ? [toAddress(address)] : [];
  });
}

const toAddress = (address: string): Address => ({ address, family: isIP(address) });

export const resolveHost = createResolver();
