// Threat model: T196

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalHost } from './canonical-host.ts';
import { specialAddress } from './special-address.ts';

test.each([
  ['8.8.8.8', undefined],
  ['100.63.255.255', undefined],
  ['100.64.0.0', 'address shared by carriers'],
  ['100.127.255.255', 'address shared by carriers'],
  ['100.128.0.0', undefined],
  ['172.15.255.255', undefined],
  ['172.16.0.0', 'private address'],
  ['172.32.0.0', undefined],
  ['169.254.169.254', 'cloud metadata address'],
  ['169.254.169.253', 'link-local address'],
  ['198.17.255.255', undefined],
  ['198.19.255.255', 'address for benchmarks'],
  ['223.255.255.255', undefined],
  ['224.0.0.0', 'multicast address'],
  ['255.255.255.255', 'broadcast address'],
  ['[2606:4700::1111]', undefined],
  ['[2001:200::1]', undefined],
  ['[2001:1ff::1]', 'address reserved for protocols'],
  ['[64:ff9b::808:808]', undefined],
  ['[64:ff9b::a00:1]', 'private address'],
  ['[64:ff9b:1::808:808]', 'reserved address'],
  ['[2002:808:808::1]', undefined],
  ['[2002:a00:1::1]', 'private address'],
  ['[::808:808]', 'reserved address'],
  ['[fe80::1]', 'link-local address'],
  ['[febf::1]', 'link-local address'],
  ['[fdff::1]', 'private address'],
  ['[4000::1]', 'reserved address'],
])('%s: %s', (address, kind) => {
  expect(canonicalHost(address)).toBe(address);
  expect(specialAddress(address)?.kind).toBe(kind);
});

test('an IPv4 address inside IPv6 is as special as on its own', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const special = specialAddress(address)?.kind;
      expect(specialAddress(canonicalHost(`[::ffff:${address}]`) ?? '')?.kind).toBe(special);
      expect(specialAddress(canonicalHost(`[64:ff9b::${address}]`) ?? '')?.kind).toBe(special);
    }),
  );
});
