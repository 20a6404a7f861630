// Threat model: T194

import { expect, test } from 'vitest';
import { canonicalHost, readAuthority } from './canonical-host.ts';

test.each<[string, string]>([
  ['API.Example.', 'api.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['ａｐｉ.example', 'api.example'],
  ['_dmarc.example', '_dmarc.example'],
  ['0177.1', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['１２７.0.0.1', '127.0.0.1'],
  ['[::FFFF:127.0.0.1]', '127.0.0.1'],
  ['[0:0::0:1]', '[::1]'],
  ['[2001:DB8::0:1]', '[2001:db8::1]'],
])('%s is %s', (written, host) => {
  expect(canonicalHost(written)).toBe(host);
});

test.each([
  '',
  'a b',
  `${'a'.repeat(64)}.example`,
  '.',
  'a..b',
  'a\tb',
  'a\u0000b',
  'a%2eb',
  'a@b',
  'a:80',
  'a/b',
  'a\\b',
  'a?b',
  'a#b',
  '[::1',
  '::1',
  '[::1%25eth0]',
  '[fe80::1%eth0]',
  '999.1.1.1',
  '-a.example',
  '*.example',
])('%j is not a host', (written) => {
  expect(canonicalHost(written)).toBe(undefined);
});

test('an authority has a port or gets the default port', () => {
  expect(readAuthority('A.example:8443', undefined)).toEqual({ host: 'a.example', port: 8443 });
  expect(readAuthority('[::1]:80', undefined)).toEqual({ host: '[::1]', port: 80 });
  expect(readAuthority('a.example', 443)).toEqual({ host: 'a.example', port: 443 });
  for (const text of [
    'a.example',
    'a.example:',
    'a.example:0',
    'a.example:65536',
    'a.example:+80',
    'a:1:2',
    ':80',
  ]) {
    expect(readAuthority(text, undefined)).toBe(undefined);
  }
});
