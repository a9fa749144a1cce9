import { BlockList, isIP } from 'node:net';

/** Ranges that no URL of a user may reach: private, link-local, metadata, documentation, multicast, transition. */
const FORBIDDEN = {
  ipv4: [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
  ipv6: [
    ['::', 96],
    // IPv4-translated (RFC 2765), Teredo and other IETF assignments, the deprecated site-local range.
    ['::ffff:0:0:0', 96],
    ['2001::', 23],
    ['fec0::', 10],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
    ['5f00::', 16],
    ['fc00::', 7],
    ['fe80::', 10],
    ['ff00::', 8],
  ],
} as const;

/** The user's own network: RFC 1918 and RFC 4193. */
const PRIVATE = {
  ipv4: [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
  ],
  ipv6: [['fc00::', 7]],
} as const;

/** What `localhost` resolves to; the rest of 127.0.0.0/8 stays forbidden. */
const LOOPBACK = { ipv4: [['127.0.0.1', 32]], ipv6: [['::1', 128]] } as const;

type Ranges = Record<'ipv4' | 'ipv6', readonly (readonly [string, number])[]>;

function blockList(ranges: Ranges): BlockList {
  const list = new BlockList();
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const [network, prefix] of ranges[family]) list.addSubnet(network, prefix, family);
  }
  return list;
}

const forbidden = blockList(FORBIDDEN);
const loopback = blockList(LOOPBACK);
const privateNetworks = blockList(PRIVATE);

function inList(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family === 0 || list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Tells whether a connection to this IP address is allowed; false for anything that is not an IP address. */
export function isPublicAddress(address: string, allowLoopback: boolean, allowPrivate = false): boolean {
  if (!inList(forbidden, address)) return true;
  if (isIP(address) === 0) return false;
  return (allowLoopback && inList(loopback, address)) || (allowPrivate && inList(privateNetworks, address));
}
