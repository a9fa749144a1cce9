import { describe, expect, test } from '@jest/globals';
import { isPublicAddress } from './address.ts';

const LOOPBACK = ['127.0.0.1', '::1'];
const PRIVATE = ['10.0.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1'];
const ALWAYS_BLOCKED = [
  '127.0.0.2',
  '127.9.9.9',
  '169.254.169.254',
  '0.0.0.0',
  '100.64.0.1',
  '224.0.0.1',
  'fe80::1',
  '64:ff9b::a00:1',
  'localhost',
  '',
];
const PUBLIC = ['8.8.8.8', '172.32.0.1', '2606:4700::1111'];

describe('the addresses that may be reached', () => {
  test.each([
    ['are public ones in a deployed stack', false, false, PUBLIC],
    ['include loopback in the local stack', true, false, [...PUBLIC, ...LOOPBACK]],
    [
      'include private networks in the local stack where the user allows them',
      true,
      true,
      [...PUBLIC, ...LOOPBACK, ...PRIVATE],
    ],
  ])('%s', (_, allowLoopback, allowPrivate, expected) => {
    const all = [...PUBLIC, ...LOOPBACK, ...PRIVATE, ...ALWAYS_BLOCKED];
    expect(all.filter(address => isPublicAddress(address, allowLoopback, allowPrivate))).toEqual(expected);
  });
});
