import { ipv6Bytes } from './canonical-host.ts';

/** An address that is not on the public internet. */
export interface SpecialAddress {
  /** Follows "an": "address of this host itself". */
  kind: string;
  /**
   * Whether an operator may grant it by naming this exact address. False for unspecified, multicast
   * and similar addresses.
   */
  grantable: boolean;
}

/**
 * Classifies an address in canonical form (`10.0.0.1`, `[::1]`), including one embedded in IPv6;
 * `undefined` for public addresses. Based on the registries of special-purpose addresses (RFC 6890
 * and its updates) and the metadata services of clouds.
 */
export function specialAddress(address: string): SpecialAddress | undefined {
  return address.startsWith('[')
    ? specialIpv6(ipv6Bytes(address))
    : specialIpv4(address.split('.').map(Number));
}

/** Network, prefix length in bits, kind. The first match wins. */
const ipv4Blocks: readonly [number[], number, string][] = [
  [[169, 254, 169, 254], 32, 'cloud metadata address'],
  [[168, 63, 129, 16], 32, 'cloud metadata address'],
  [[100, 100, 100, 200], 32, 'cloud metadata address'],
  [[192, 0, 0, 192], 32, 'cloud metadata address'],
  [[0, 0, 0, 0], 8, 'unspecified address'],
  [[10, 0, 0, 0], 8, 'private address'],
  [[100, 64, 0, 0], 10, 'address shared by carriers'],
  [[127, 0, 0, 0], 8, 'loopback address'],
  [[169, 254, 0, 0], 16, 'link-local address'],
  [[172, 16, 0, 0], 12, 'private address'],
  [[192, 0, 0, 0], 24, 'address reserved for protocols'],
  [[192, 0, 2, 0], 24, 'address for documentation'],
  [[192, 88, 99, 0], 24, 'address reserved for protocols'],
  [[192, 168, 0, 0], 16, 'private address'],
  [[198, 18, 0, 0], 15, 'address for benchmarks'],
  [[198, 51, 100, 0], 24, 'address for documentation'],
  [[203, 0, 113, 0], 24, 'address for documentation'],
  [[224, 0, 0, 0], 4, 'multicast address'],
  [[255, 255, 255, 255], 32, 'broadcast address'],
  [[240, 0, 0, 0], 4, 'reserved address'],
];

const ungrantable = ['unspecified address', 'multicast address', 'broadcast address', 'reserved address'];

function specialIpv4(bytes: readonly number[]): SpecialAddress | undefined {
  return named(ipv4Blocks.find(([network, bits]) => liesIn(bytes, network, bits))?.[2]);
}

const ipv6Blocks: readonly [number[], number, string][] = [
  [[0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128, 'cloud metadata address'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 128, 'unspecified address'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, 'loopback address'],
  [[0xfc, 0], 7, 'private address'],
  [[0xfe, 0x80], 10, 'link-local address'],
  [[0xfe, 0xc0], 10, 'private address'],
  [[0xff, 0], 8, 'multicast address'],
  // Includes Teredo, whose server and client can be any IPv4 addresses.
  [[0x20, 0x01, 0x00, 0x00], 23, 'address reserved for protocols'],
  [[0x20, 0x01, 0x0d, 0xb8], 32, 'address for documentation'],
  [[0x3f, 0xff, 0x00], 20, 'address for documentation'],
];

/** Prefixes that embed an IPv4 address, and their length in bytes. */
const ipv4Inside: readonly [number[], number][] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 12],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 12],
  [[0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 12],
  [[0x20, 0x02], 2],
];

function specialIpv6(bytes: readonly number[]): SpecialAddress | undefined {
  const block = ipv6Blocks.find(([network, bits]) => liesIn(bytes, network, bits));
  if (block !== undefined) return named(block[2]);
  const inside = ipv4Inside.find(([prefix]) => liesIn(bytes, prefix, prefix.length * 8));
  if (inside !== undefined) {
    const special = specialIpv4(bytes.slice(inside[1], inside[1] + 4));
    // IPv4-compatible addresses are deprecated, wherever they point.
    return special ?? (bytes[1] === 0 ? named('reserved address') : undefined);
  }
  return liesIn(bytes, [0x20], 3) ? undefined : named('reserved address');
}

function liesIn(bytes: readonly number[], network: readonly number[], bits: number): boolean {
  return network.every((byte, index) => {
    const prefixBits = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - prefixBits)) & 0xff;
    return ((bytes[index] ?? 0) & mask) === (byte & mask);
  });
}

function named(kind: string | undefined): SpecialAddress | undefined {
  return kind === undefined ? undefined : { kind, grantable: !ungrantable.includes(kind) };
}
